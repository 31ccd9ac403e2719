# Length of the longest rising subsequence starting at each index, from the back.
def longest_rising(nums)
  n = nums.size
  best = Array.new(n, 1)
  (n - 1).downto(0) do |i|
    x = nums[i]
    (i + 1...n).each do |j|
      best[i] = best[j] + 1 if nums[j] > x && best[j] >= best[i]
    end
  end
  best.max
end
