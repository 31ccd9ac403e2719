// Flood fill with an explicit stack; cells are sunk in the grid.
func countIslands(grid [][]int) int {
	rows, cols := len(grid), len(grid[0])
	islands := 0
	stack := make([][2]int, 0, 64)
	for r := range grid {
		for c := range grid[r] {
			if grid[r][c] == 0 {
				continue
			}
			islands++
			grid[r][c] = 0
			stack = append(stack, [2]int{r, c})
			for len(stack) > 0 {
				p := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				for _, d := range [4][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
					y, x := p[0]+d[0], p[1]+d[1]
					if y >= 0 && x >= 0 && y < rows && x < cols && grid[y][x] == 1 {
						grid[y][x] = 0
						stack = append(stack, [2]int{y, x})
					}
				}
			}
		}
	}
	return islands
}
