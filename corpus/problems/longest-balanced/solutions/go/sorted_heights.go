// Sorts the prefix positions by height and looks for runs that always go on upwards.
func longestBalanced(s string) int {
	n := len(s)
	height := make([]int, n+1)
	order := make([]int, n+1)
	for i := 0; i < n; i++ {
		if s[i] == '(' {
			height[i+1] = height[i] + 1
		} else {
			height[i+1] = height[i] - 1
		}
		order[i+1] = i + 1
	}
	sort.Slice(order, func(a, b int) bool {
		x, y := order[a], order[b]
		if height[x] != height[y] {
			return height[x] < height[y]
		}
		return x < y
	})
	best, start := 0, order[0]
	for k := 1; k <= n; k++ {
		p, q := order[k-1], order[k]
		if height[p] == height[q] && s[p] == '(' {
			if q-start > best {
				best = q - start
			}
		} else {
			start = q
		}
	}
	return best
}
