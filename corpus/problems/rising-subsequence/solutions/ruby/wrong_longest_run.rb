# Extends the current rising stretch while the numbers keep growing.
def longest_rising(nums)
  longest = 1
  current = 1
  (1...nums.size).each do |i|
    current = nums[i] > nums[i - 1] ? current + 1 : 1
    longest = current if current > longest
  end
  longest
end
