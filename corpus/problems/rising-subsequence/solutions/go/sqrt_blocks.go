// Best length per rank, with block maxima: a prefix is whole blocks plus a few ranks.
func longestRising(nums []int) int {
	rank := map[int]int{}
	sorted := append([]int{}, nums...)
	sort.Ints(sorted)
	for _, v := range sorted {
		if _, seen := rank[v]; !seen {
			rank[v] = len(rank)
		}
	}
	m := len(rank)
	width := 1
	for width*width < m {
		width++
	}
	best := make([]int, m)
	block := make([]int, m/width+1)
	answer := 0
	for _, x := range nums {
		r := rank[x]
		b := r / width
		length := 0
		for _, v := range block[:b] {
			if v > length {
				length = v
			}
		}
		for _, v := range best[b*width : r] {
			if v > length {
				length = v
			}
		}
		length++
		if length > best[r] {
			best[r] = length
		}
		if length > block[b] {
			block[b] = length
		}
		if length > answer {
			answer = length
		}
	}
	return answer
}
