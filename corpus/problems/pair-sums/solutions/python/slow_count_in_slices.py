# For every index, counts the partner in the rest of the list.
class Solution:
    def countPairs(self, nums: List[int], target: int) -> int:
        result = 0
        for i in range(len(nums)):
            result += nums[i + 1:].count(target - nums[i])
        return result
