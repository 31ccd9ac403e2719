# Sort, then two pointers over runs of equal values.
def count_pairs(nums, target)
  nums.sort!
  i = 0
  j = nums.size - 1
  result = 0
  while i < j
    low = nums[i]
    high = nums[j]
    total = low + high
    if total < target
      i += 1
    elsif total > target
      j -= 1
    elsif low == high
      k = j - i + 1
      return result + k * (k - 1) / 2
    else
      left = i
      right = j
      i += 1 while nums[i] == low
      j -= 1 while nums[j] == high
      result += (i - left) * (right - j)
    end
  end
  result
end
