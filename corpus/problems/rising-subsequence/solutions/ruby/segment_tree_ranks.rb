# Segment tree (array form, leaves at the back) over the distinct values in order.
class MaxTree
  def initialize(count)
    @size = 1
    @size <<= 1 while @size < count
    @node = Array.new(2 * @size, 0)
  end

  def best_below(at)
    at += @size
    best = 0
    while at > 1
      best = [best, @node[at - 1]].max if at.odd?
      at >>= 1
    end
    best
  end

  def put(at, value)
    at += @size
    while at > 0 && @node[at] < value
      @node[at] = value
      at >>= 1
    end
  end

  def top
    @node[1]
  end
end

def longest_rising(nums)
  values = nums.uniq.sort
  place = values.each_with_index.to_h
  tree = MaxTree.new(values.size)
  nums.each do |x|
    at = place[x]
    tree.put(at, tree.best_below(at) + 1)
  end
  tree.top
end
