// ends[i] is the length of the longest balanced piece ending at byte i.
func longestBalanced(s string) int {
	n := len(s)
	ends := make([]int32, n)
	var best int32
	for i := 1; i < n; i++ {
		if s[i] == '(' {
			continue
		}
		inner := ends[i-1]
		j := i - int(inner) - 1
		if j < 0 || s[j] != '(' {
			continue
		}
		total := inner + 2
		if j > 0 {
			total += ends[j-1]
		}
		ends[i] = total
		if total > best {
			best = total
		}
	}
	return int(best)
}
