// One pass with a map of the values seen so far.
func countPairs(nums []int, target int) int64 {
	seen := map[int]int{}
	var result int64
	for _, x := range nums {
		result += int64(seen[target-x])
		seen[x]++
	}
	return result
}
