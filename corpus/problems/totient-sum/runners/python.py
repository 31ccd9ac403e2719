import sys
import json
import math
import bisect
import heapq
import itertools
import functools
import collections
import operator
import random
import string
from bisect import bisect_left, bisect_right, insort, insort_left, insort_right
from collections import Counter, OrderedDict, defaultdict, deque
from functools import cmp_to_key, lru_cache, cache, reduce
from heapq import heapify, heappop, heappush
from itertools import accumulate, chain, combinations, count, permutations, product
from math import gcd, inf, isqrt
from typing import Any, Deque, Dict, Iterable, List, Optional, Set, Tuple

sys.setrecursionlimit(20000)

# ==Code Submission==

if __name__ == "__main__":
    _lines = sys.stdin.read().split("\n")
    print(json.dumps(Solution().totientSum(json.loads(_lines[0]))))
