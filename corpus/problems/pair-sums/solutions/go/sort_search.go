// Sort, then two binary searches per element among the elements after it.
func countPairs(nums []int, target int) int64 {
	sort.Slice(nums, func(a, b int) bool { return nums[a] < nums[b] })
	var result int64
	for i, x := range nums {
		want := target - x
		if want < x {
			break
		}
		rest := nums[i+1:]
		low := sort.SearchInts(rest, want)
		high := sort.SearchInts(rest, want+1)
		result += int64(high - low)
	}
	return result
}
