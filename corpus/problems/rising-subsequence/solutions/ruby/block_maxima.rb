# Three layers of maxima over the ranks: single ranks, blocks of 32, blocks of 1024.
def longest_below(layer, from, to, best)
  while from < to
    v = layer[from]
    best = v if v > best
    from += 1
  end
  best
end

def longest_rising(nums)
  rank = nums.uniq.sort.each_with_index.to_h
  m = rank.size
  single = Array.new(m, 0)
  block = Array.new((m >> 5) + 1, 0)
  region = Array.new((m >> 10) + 1, 0)
  nums.each do |x|
    r = rank[x]
    b = r >> 5
    g = r >> 10
    length = longest_below(region, 0, g, 0)
    length = longest_below(block, g << 5, b, length)
    length = longest_below(single, b << 5, r, length) + 1
    single[r] = length if length > single[r]
    block[b] = length if length > block[b]
    region[g] = length if length > region[g]
  end
  region.max
end
