# Smallest last element per length; the place of each number comes from bsearch_index.
def longest_rising(nums)
  tails = []
  nums.each do |x|
    at = tails.bsearch_index { |t| t >= x } || tails.size
    tails[at] = x
  end
  tails.size
end
