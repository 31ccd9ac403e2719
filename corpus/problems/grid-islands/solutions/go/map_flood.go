// Land cells as keys of a map; every island is drained out of it.
func countIslands(grid [][]int) int {
	type point struct{ r, c int }
	land := map[point]bool{}
	for r, row := range grid {
		for c, v := range row {
			if v == 1 {
				land[point{r, c}] = true
			}
		}
	}
	islands := 0
	for first := range land {
		islands++
		delete(land, first)
		wave := []point{first}
		for len(wave) > 0 {
			var next []point
			for _, p := range wave {
				for _, q := range []point{{p.r + 1, p.c}, {p.r - 1, p.c}, {p.r, p.c + 1}, {p.r, p.c - 1}} {
					if land[q] {
						delete(land, q)
						next = append(next, q)
					}
				}
			}
			wave = next
		}
	}
	return islands
}
