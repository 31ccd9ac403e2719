# Sort, then close in from both ends over runs of equal values.
class Solution:
    def countPairs(self, nums: List[int], target: int) -> int:
        nums.sort()
        i, j = 0, len(nums) - 1
        result = 0
        while i < j:
            total = nums[i] + nums[j]
            if total < target:
                i += 1
            elif total > target:
                j -= 1
            elif nums[i] == nums[j]:
                k = j - i + 1
                result += k * (k - 1) // 2
                break
            else:
                low, high = nums[i], nums[j]
                left = right = 0
                while nums[i] == low:
                    i += 1
                    left += 1
                while nums[j] == high:
                    j -= 1
                    right += 1
                result += left * right
        return result
