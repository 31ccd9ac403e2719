// Adds up all matched pairs, contiguous or not.
func longestBalanced(s string) int {
	depth, pairs := 0, 0
	for _, c := range s {
		if c == '(' {
			depth++
		} else if depth > 0 {
			depth--
			pairs++
		}
	}
	return 2 * pairs
}
