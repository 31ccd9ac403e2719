# Frequency table; equal halves are counted as if they were two different values.
def count_pairs(nums, target)
  counts = nums.tally
  result = 0
  counts.each do |x, c|
    y = target - x
    next if y < x
    result += c * counts.fetch(y, 0)
  end
  result
end
