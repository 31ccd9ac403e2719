import sys, json, math, heapq, bisect, itertools, functools, collections, operator, random, string, re
from typing import *
from collections import *
from itertools import *
from functools import *
from bisect import *
from heapq import *
from math import *
from array import array

# ==Code Submission==

if __name__ == "__main__":
    _lines = sys.stdin.read().split("\n")
    _result = Solution().countPairs(json.loads(_lines[0]), json.loads(_lines[1]))
    sys.stdout.write(json.dumps(_result) + "\n")
