// Union-find over every cell of the grid, ranks and path halving.
func countIslands(grid [][]int) int {
	rows, cols := len(grid), len(grid[0])
	parent := make([]int, rows*cols)
	rank := make([]int, rows*cols)
	for i := range parent {
		parent[i] = i
	}
	find := func(a int) int {
		for parent[a] != a {
			parent[a] = parent[parent[a]]
			a = parent[a]
		}
		return a
	}
	islands := 0
	join := func(a, b int) {
		a, b = find(a), find(b)
		if a == b {
			return
		}
		if rank[a] < rank[b] {
			a, b = b, a
		}
		if rank[a] == rank[b] {
			rank[a]++
		}
		parent[b] = a
		islands--
	}
	for r := 0; r < rows; r++ {
		for c := 0; c < cols; c++ {
			if grid[r][c] == 0 {
				continue
			}
			islands++
			if r > 0 && grid[r-1][c] == 1 {
				join(r*cols+c-cols, r*cols+c)
			}
			if c > 0 && grid[r][c-1] == 1 {
				join(r*cols+c-1, r*cols+c)
			}
		}
	}
	return islands
}
