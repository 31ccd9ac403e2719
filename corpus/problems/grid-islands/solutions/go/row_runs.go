// Runs of land per row, joined with the overlapping runs of the row above.
func countIslands(grid [][]int) int {
	type run struct{ from, to, id int32 }
	parent := []int32{}
	find := func(a int32) int32 {
		for parent[a] != a {
			parent[a] = parent[parent[a]]
			a = parent[a]
		}
		return a
	}
	islands := 0
	var above, runs []run
	for _, row := range grid {
		runs = runs[:0]
		for c := 0; c < len(row); c++ {
			if row[c] == 0 {
				continue
			}
			from := c
			for c < len(row) && row[c] == 1 {
				c++
			}
			id := int32(len(parent))
			parent = append(parent, id)
			runs = append(runs, run{int32(from), int32(c), id})
		}
		islands += len(runs)
		i, j := 0, 0
		for i < len(above) && j < len(runs) {
			a, b := above[i], runs[j]
			if a.from < b.to && b.from < a.to {
				x, y := find(a.id), find(b.id)
				if x != y {
					parent[y] = x
					islands--
				}
			}
			if a.to < b.to {
				i++
			} else {
				j++
			}
		}
		above, runs = runs, above
	}
	return islands
}
