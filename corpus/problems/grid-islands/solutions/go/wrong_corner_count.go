// Counts cells without land above or to the left, as if every island had one such corner.
func countIslands(grid [][]int) int {
	islands := 0
	for r, row := range grid {
		for c, v := range row {
			if v == 1 && (r == 0 || grid[r-1][c] == 0) && (c == 0 || row[c-1] == 0) {
				islands++
			}
		}
	}
	return islands
}
