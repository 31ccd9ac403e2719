import bisect
import collections
import functools
import heapq
import itertools
import json
import math
import operator
import re
import string
import sys
from bisect import bisect_left, bisect_right, insort
from collections import Counter, OrderedDict, defaultdict, deque
from functools import cache, lru_cache, reduce
from heapq import heapify, heappop, heappush
from itertools import accumulate, chain, combinations, groupby, permutations, product
from math import ceil, floor, gcd, inf, sqrt
from typing import Any, Deque, Dict, Iterable, List, Optional, Set, Tuple

# ==Code Submission==


def _main():
    text = json.loads(sys.stdin.readline())
    print(json.dumps(Solution().longestBalanced(text)))


if __name__ == "__main__":
    _main()
