# Sort, then two binary searches per element for its partners to the right.
import bisect


class Solution:
    def countPairs(self, nums: List[int], target: int) -> int:
        nums = sorted(nums)
        n = len(nums)
        result = 0
        for i, x in enumerate(nums):
            want = target - x
            if want < x:
                break
            low = bisect.bisect_left(nums, want, i + 1, n)
            if low < n and nums[low] == want:
                result += bisect.bisect_right(nums, want, low, n) - low
        return result
