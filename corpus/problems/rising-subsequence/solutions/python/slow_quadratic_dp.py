# best[i] = longest rising subsequence that ends at i, looking at every earlier element.
class Solution:
    def longestRising(self, nums: List[int]) -> int:
        n = len(nums)
        best = [1] * n
        for i in range(n):
            x = nums[i]
            longest = 0
            for j in range(i):
                if nums[j] < x and best[j] > longest:
                    longest = best[j]
            best[i] = longest + 1
        return max(best)
