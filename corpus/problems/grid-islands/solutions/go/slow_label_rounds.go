// Labels spread one step per round until a round changes nothing.
func countIslands(grid [][]int) int {
	rows, cols := len(grid), len(grid[0])
	label := make([][]int, rows)
	fresh := make([][]int, rows)
	for r := range grid {
		label[r] = make([]int, cols)
		fresh[r] = make([]int, cols)
		for c, v := range grid[r] {
			if v == 1 {
				label[r][c] = r*cols + c + 1
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for r := 0; r < rows; r++ {
			for c := 0; c < cols; c++ {
				most := label[r][c]
				if most > 0 {
					if r > 0 && label[r-1][c] > most {
						most = label[r-1][c]
					}
					if c > 0 && label[r][c-1] > most {
						most = label[r][c-1]
					}
					if r+1 < rows && label[r+1][c] > most {
						most = label[r+1][c]
					}
					if c+1 < cols && label[r][c+1] > most {
						most = label[r][c+1]
					}
					if most != label[r][c] {
						changed = true
					}
				}
				fresh[r][c] = most
			}
		}
		label, fresh = fresh, label
	}
	islands := 0
	for r := range label {
		for c, v := range label[r] {
			if v == r*cols+c+1 {
				islands++
			}
		}
	}
	return islands
}
