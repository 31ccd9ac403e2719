// Marks the brackets that have a partner (pushed on a linked list) and takes the longest run of marks.
func longestBalanced(s string) int {
	matched := make([]bool, len(s))
	open := list.New()
	for i := range s {
		if s[i] == '(' {
			open.PushBack(i)
		} else if last := open.Back(); last != nil {
			matched[open.Remove(last).(int)] = true
			matched[i] = true
		}
	}
	best, run := 0, 0
	for _, m := range matched {
		if !m {
			run = 0
			continue
		}
		run++
		if run > best {
			best = run
		}
	}
	return best
}
