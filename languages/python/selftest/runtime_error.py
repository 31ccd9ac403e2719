n = int(input())
values = list(map(int, input().split()))
print(values[n])  # past the end: IndexError
