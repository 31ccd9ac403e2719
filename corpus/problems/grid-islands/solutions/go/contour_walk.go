// Follows every shore with the land to the right. Outer shores turn right in total,
// the shores of holes turn left; only the former are counted.
func countIslands(grid [][]int) int {
	width := len(grid[0]) + 2
	land := make([]bool, (len(grid)+2)*width)
	done := make([]bool, len(land))
	for r, row := range grid {
		for c, v := range row {
			land[(r+1)*width+c+1] = v == 1
		}
	}
	step := [4]int{1, width, -1, -width}
	islands := 0
	for start := width; start < len(land)-width; start++ {
		if !land[start] || land[start-width] || done[start] {
			continue
		}
		cell, d, turns := start, 0, 0
		for {
			if d == 0 {
				done[cell] = true
			}
			front := cell + step[d]
			left := (d + 3) & 3
			if !land[front] {
				d = (d + 1) & 3
				turns++
			} else if side := front + step[left]; land[side] {
				cell, d = side, left
				turns--
			} else {
				cell = front
			}
			if cell == start && d == 0 {
				break
			}
		}
		if turns > 0 {
			islands++
		}
	}
	return islands
}
