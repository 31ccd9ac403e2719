# One pass: how often each value was seen so far.
class Solution:
    def countPairs(self, nums: List[int], target: int) -> int:
        seen = {}
        result = 0
        for x in nums:
            result += seen.get(target - x, 0)
            seen[x] = seen.get(x, 0) + 1
        return result
