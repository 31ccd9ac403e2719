// Counters only: a scan in each direction.
func longestBalanced(s string) int {
	best, open, shut := 0, 0, 0
	for i := 0; i < len(s); i++ {
		if s[i] == '(' {
			open++
		} else {
			shut++
		}
		if shut > open {
			open, shut = 0, 0
		} else if open == shut && 2*shut > best {
			best = 2 * shut
		}
	}
	open, shut = 0, 0
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == ')' {
			shut++
		} else {
			open++
		}
		if open > shut {
			open, shut = 0, 0
		} else if open == shut && 2*open > best {
			best = 2 * open
		}
	}
	return best
}
