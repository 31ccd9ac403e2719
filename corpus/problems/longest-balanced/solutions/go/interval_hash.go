// A hash map from the end of a balanced block to its start glues blocks together.
func longestBalanced(s string) int {
	startOf := map[int]int{}
	open := []int{}
	best := 0
	for j, c := range s {
		if c == '(' {
			open = append(open, j)
			continue
		}
		if len(open) == 0 {
			continue
		}
		i := open[len(open)-1]
		open = open[:len(open)-1]
		if earlier, ok := startOf[i-1]; ok {
			i = earlier
		}
		startOf[j] = i
		if j-i+1 > best {
			best = j - i + 1
		}
	}
	return best
}
