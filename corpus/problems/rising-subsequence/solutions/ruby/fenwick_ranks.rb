# Binary indexed tree of prefix maxima over compressed values.
def longest_rising(nums)
  rank = {}
  nums.uniq.sort.each_with_index { |v, i| rank[v] = i + 1 }
  m = rank.size
  tree = Array.new(m + 1, 0)
  answer = 0
  nums.each do |x|
    r = rank[x]
    best = 0
    i = r - 1
    while i > 0
      best = tree[i] if tree[i] > best
      i &= i - 1
    end
    best += 1
    answer = best if best > answer
    i = r
    while i <= m
      tree[i] = best if tree[i] < best
      i += i & -i
    end
  end
  answer
end
