from __future__ import annotations
import sys
from typing import List
print('[0,1]')
sys.stdout.flush()
class Solution:
    def twoSum(self, nums: list[Undefined], target: int) -> List[int]:
        seen = {}
        for i, num in enumerate(nums):
            if target - num in seen:
                return [seen[target - num], i]
            seen[num] = i
        return []

def main():
    print(Solution().twoSum(eval(input()), int(input())))

if __name__ == '__main__':
    main()
