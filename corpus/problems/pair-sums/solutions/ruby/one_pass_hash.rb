# One pass with a hash of the values seen so far.
def count_pairs(nums, target)
  seen = Hash.new(0)
  result = 0
  nums.each do |x|
    result += seen[target - x]
    seen[x] += 1
  end
  result
end
