# Frequencies of all values, then one product per pair of complementary values.
class Solution:
    def countPairs(self, nums: List[int], target: int) -> int:
        counts = collections.Counter(nums)
        ordered = sum(c * counts[target - x] for x, c in list(counts.items()) if target - x in counts)
        if target % 2 == 0:
            ordered -= counts.get(target // 2, 0)
        return ordered // 2
