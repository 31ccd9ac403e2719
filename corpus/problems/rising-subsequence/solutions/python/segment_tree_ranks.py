# A bottom-up segment tree over the sorted distinct values holds, per value,
# the longest rising subsequence that ends in it.
class SegmentMax:
    def __init__(self, n):
        self.size = 1
        while self.size < n:
            self.size *= 2
        self.node = [0] * (2 * self.size)

    def below(self, right):
        node = self.node
        best = 0
        right += self.size
        while right > 1:
            if right & 1:
                best = max(best, node[right - 1])
            right >>= 1
        return best

    def raise_to(self, at, value):
        node = self.node
        at += self.size
        while at and node[at] < value:
            node[at] = value
            at >>= 1


class Solution:
    def longestRising(self, nums: List[int]) -> int:
        values = sorted(set(nums))
        place = {v: i for i, v in enumerate(values)}
        tree = SegmentMax(len(values))
        for x in nums:
            at = place[x]
            tree.raise_to(at, tree.below(at) + 1)
        return tree.node[1]
