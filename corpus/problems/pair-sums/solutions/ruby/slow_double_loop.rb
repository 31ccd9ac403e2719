# Every pair of indices.
def count_pairs(nums, target)
  result = 0
  nums.each_index do |i|
    (i + 1...nums.size).each do |j|
      result += 1 if nums[i] + nums[j] == target
    end
  end
  result
end
