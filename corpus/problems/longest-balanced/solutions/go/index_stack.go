// Stack of indices with the last impossible position at the bottom.
func longestBalanced(s string) int {
	stack := []int{-1}
	best := 0
	for i := 0; i < len(s); i++ {
		if s[i] == '(' {
			stack = append(stack, i)
			continue
		}
		stack = stack[:len(stack)-1]
		if len(stack) == 0 {
			stack = append(stack, i)
		} else if d := i - stack[len(stack)-1]; d > best {
			best = d
		}
	}
	return best
}
