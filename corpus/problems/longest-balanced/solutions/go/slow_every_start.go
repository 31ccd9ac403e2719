// Tries every start and follows the balance to the right.
func longestBalanced(s string) int {
	best := 0
	for i := range s {
		depth := 0
		for j := i; j < len(s); j++ {
			if s[j] == '(' {
				depth++
			} else {
				depth--
			}
			if depth < 0 {
				break
			}
			if depth == 0 && j+1-i > best {
				best = j + 1 - i
			}
		}
	}
	return best
}
