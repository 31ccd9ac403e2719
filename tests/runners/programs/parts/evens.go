func solve(nums []int) int {
	kept := 0
	for _, n := range nums {
		if n%2 == 0 {
			nums[kept] = n
			kept++
		}
	}
	return kept
}
