class Solution
  def two_sum(nums, target)
  seen = {}
  nums.each_with_index do |num, i|
    return [seen[target - num], i] if seen.key?(target - num)
    seen[num] = i
  end
  []
end
end
