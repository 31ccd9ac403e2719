# Counts pairs of different values, not pairs of indices.
class Solution:
    def countPairs(self, nums: List[int], target: int) -> int:
        seen = set()
        pairs = set()
        for x in nums:
            if target - x in seen:
                pairs.add((min(x, target - x), max(x, target - x)))
            seen.add(x)
        return len(pairs)
