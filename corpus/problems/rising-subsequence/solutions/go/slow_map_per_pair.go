// Length of the best chain per value in a map; every earlier element is asked about.
func longestRising(nums []int) int {
	ending := map[int]int{}
	answer := 0
	for i, x := range nums {
		best := 0
		for _, y := range nums[:i] {
			if length := ending[y]; y < x && length > best {
				best = length
			}
		}
		if best+1 > ending[x] {
			ending[x] = best + 1
		}
		if best+1 > answer {
			answer = best + 1
		}
	}
	return answer
}
