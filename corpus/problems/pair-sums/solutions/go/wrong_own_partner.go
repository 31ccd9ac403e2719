// Frequency table that forgets that an element cannot be paired with itself.
func countPairs(nums []int, target int) int64 {
	counts := map[int]int64{}
	for _, x := range nums {
		counts[x]++
	}
	var ordered int64
	for x, c := range counts {
		ordered += c * counts[target-x]
	}
	return ordered / 2
}
