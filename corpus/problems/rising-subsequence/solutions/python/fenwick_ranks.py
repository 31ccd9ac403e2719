# Prefix maxima over compressed values in a binary indexed tree.
class Solution:
    def longestRising(self, nums: List[int]) -> int:
        rank = {v: r for r, v in enumerate(sorted(set(nums)), 1)}
        m = len(rank)
        tree = [0] * (m + 1)
        answer = 0
        for x in nums:
            r = rank[x]
            best = 0
            i = r - 1
            while i:
                if tree[i] > best:
                    best = tree[i]
                i &= i - 1
            best += 1
            if best > answer:
                answer = best
            i = r
            while i <= m and tree[i] < best:
                tree[i] = best
                i += i & -i
        return answer
