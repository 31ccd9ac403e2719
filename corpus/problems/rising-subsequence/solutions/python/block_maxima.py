# Three layers of maxima over the ranks: single ranks, blocks of 64, blocks of 4096.
class Solution:
    def longestRising(self, nums: List[int]) -> int:
        rank = {v: r for r, v in enumerate(sorted(set(nums)))}
        m = len(rank)
        best = [0] * m
        block = [0] * ((m >> 6) + 1)
        region = [0] * ((m >> 12) + 1)
        for x in nums:
            r = rank[x]
            b = r >> 6
            g = r >> 12
            length = 1 + max(max(region[:g], default=0),
                             max(block[g << 6:b], default=0),
                             max(best[b << 6:r], default=0))
            if length > best[r]:
                best[r] = length
                if length > block[b]:
                    block[b] = length
                    if length > region[g]:
                        region[g] = length
        return max(region)
