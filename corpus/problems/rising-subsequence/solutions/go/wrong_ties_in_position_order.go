// Sorts the positions by value; then a rising sequence of positions is wanted.
func longestRising(nums []int) int {
	order := make([]int, len(nums))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return nums[order[a]] < nums[order[b]] })
	tails := []int{}
	for _, p := range order {
		k := sort.SearchInts(tails, p)
		if k == len(tails) {
			tails = append(tails, p)
		} else {
			tails[k] = p
		}
	}
	return len(tails)
}
