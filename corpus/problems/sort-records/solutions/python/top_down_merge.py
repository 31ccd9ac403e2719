# Recursive merge sort on slices of the index list.
import sys


def merge_sort(part, scores):
    if len(part) < 2:
        return part
    half = len(part) // 2
    left = merge_sort(part[:half], scores)
    right = merge_sort(part[half:], scores)
    merged = []
    i = j = 0
    while i < len(left) and j < len(right):
        if scores[left[i]] >= scores[right[j]]:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


def sort_order(scores):
    return merge_sort(list(range(len(scores))), scores)


def main():
    data = sys.stdin.read().split()
    n = int(data[0])
    names = data[1:2 * n + 1:2]
    scores = [int(word) for word in data[2:2 * n + 1:2]]
    order = sort_order(scores)
    sys.stdout.write("".join(["%d %s %d\n" % (p, names[i], scores[i]) for p, i in enumerate(order, 1)]))


main()
