import sys

print(sum(range(int(sys.argv[1]))))
