# Spread the indices over n buckets by interpolation, sort every bucket by insertion or built-in sort.
import sys


def sort_order(scores):
    n = len(scores)
    top, bottom = max(scores), min(scores)
    width = (top - bottom) // n + 1
    buckets = [[] for _ in range((top - bottom) // width + 1)]
    for i, s in enumerate(scores):
        buckets[(top - s) // width].append(i)
    order = []
    for bucket in buckets:
        if len(bucket) > 8:
            bucket.sort(key=lambda i: -scores[i])
        else:
            for p in range(1, len(bucket)):
                i = bucket[p]
                while p and scores[bucket[p - 1]] < scores[i]:
                    bucket[p] = bucket[p - 1]
                    p -= 1
                bucket[p] = i
        order.extend(bucket)
    return order


def main():
    data = sys.stdin.read().split()
    n = int(data[0])
    names = data[1:2 * n + 1:2]
    scores = [int(word) for word in data[2:2 * n + 1:2]]
    order = sort_order(scores)
    write = sys.stdout.write
    place = 0
    for i in order:
        place += 1
        write(str(place) + " " + names[i] + " " + str(scores[i]) + "\n")


main()
