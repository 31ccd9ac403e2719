import sys, json, math, heapq, bisect, itertools, functools, collections, operator, random, string, re
from array import array
from bisect import bisect_left, bisect_right, insort
from collections import Counter, OrderedDict, defaultdict, deque
from functools import cache, cmp_to_key, lru_cache, reduce
from heapq import heapify, heappop, heappush
from itertools import accumulate, chain, combinations, count, groupby, permutations, product
from math import ceil, comb, floor, gcd, inf, isqrt, sqrt
from typing import Any, Deque, Dict, Iterable, List, Optional, Set, Tuple

# ==Code Submission==

if __name__ == "__main__":
    _lines = sys.stdin.read().split("\n")
    _result = Solution().countPairs(json.loads(_lines[0]), json.loads(_lines[1]))
    sys.stdout.write(json.dumps(_result) + "\n")
