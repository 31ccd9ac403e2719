// Breadth-first search with a linked list as the queue and a table of seen cells.
func countIslands(grid [][]int) int {
	type cell struct{ r, c int }
	rows, cols := len(grid), len(grid[0])
	seen := make([][]bool, rows)
	for r := range seen {
		seen[r] = make([]bool, cols)
	}
	queue := list.New()
	visit := func(r, c int) {
		if r < 0 || c < 0 || r >= rows || c >= cols || grid[r][c] == 0 || seen[r][c] {
			return
		}
		seen[r][c] = true
		queue.PushBack(cell{r, c})
	}
	islands := 0
	for r := 0; r < rows; r++ {
		for c := 0; c < cols; c++ {
			visit(r, c)
			if queue.Len() == 0 {
				continue
			}
			islands++
			for queue.Len() > 0 {
				p := queue.Remove(queue.Front()).(cell)
				visit(p.r+1, p.c)
				visit(p.r-1, p.c)
				visit(p.r, p.c+1)
				visit(p.r, p.c-1)
			}
		}
	}
	return islands
}
