# Decorate every record as a tuple (-score, index, name), sort, and drop the decoration.


def main():
    rows = []
    for index in range(int(input())):
        name, score = input().split()
        rows.append((-int(score), index, name))
    rows.sort()
    for place, (negative, _, name) in enumerate(rows, 1):
        print(f"{place} {name} {-negative}")


main()
