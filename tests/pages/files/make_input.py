print(*range(1000))
