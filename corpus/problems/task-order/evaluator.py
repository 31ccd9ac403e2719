def evaluate(expected: str, actual: str, stdin: str) -> bool:
    if not isinstance(actual, str):
        return False
    line = actual.strip()
    if expected.strip() == "IMPOSSIBLE":
        return line == "IMPOSSIBLE"
    numbers = stdin.split()
    n = int(numbers[0])
    m = int(numbers[1])
    # a valid answer is at most n numbers of at most 7 digits on a single line
    if len(line) > 16 * n + 16 or "\n" in line or "\r" in line:
        return False
    parts = line.split()
    if len(parts) != n:
        return False
    place = [-1] * (n + 1)
    for i, part in enumerate(parts):
        if len(part) > 7 or not part.isascii() or not part.isdigit() or part[0] == "0":
            return False
        task = int(part)
        if task > n or place[task] >= 0:
            return False
        place[task] = i
    for k in range(2, 2 + 2 * m, 2):
        if place[int(numbers[k])] >= place[int(numbers[k + 1])]:
            return False
    return True
