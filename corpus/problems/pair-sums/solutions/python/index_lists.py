# Groups the indices by value, then walks each pair of complementary groups like a merge.
class Solution:
    def countPairs(self, nums: List[int], target: int) -> int:
        where = defaultdict(list)
        for i, x in enumerate(nums):
            where[x].append(i)
        result = 0
        for x, left in where.items():
            y = target - x
            if y < x or y not in where:
                continue
            if y == x:
                result += sum(range(len(left)))
                continue
            right = where[y]
            for i in left:
                before = bisect_left(right, i)
                result += before + (len(right) - before)
        return result
