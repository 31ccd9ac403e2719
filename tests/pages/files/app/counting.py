def inversions(values):
    return sum(a > b for i, a in enumerate(values) for b in values[i + 1 :])
