def two_sum(nums, target):
        seen = {}
        for i, num in enumerate(nums):
            if target - num in seen:
                return [seen[target - num], i]
            seen[num] = i
        return []

lines = sys.stdin.read()
assert lines == ''
from dataclasses import dataclass
@dataclass
class Pair:
    a: int
print(Pair(1))