// Value ranks from a sorted copy, prefix maxima in a Fenwick tree.
func longestRising(nums []int) int {
	sorted := append([]int(nil), nums...)
	sort.Ints(sorted)
	m := len(sorted)
	tree := make([]int32, m+1)
	var answer int32
	for _, x := range nums {
		r := sort.SearchInts(sorted, x)
		var best int32
		for i := r; i > 0; i -= i & -i {
			if tree[i] > best {
				best = tree[i]
			}
		}
		best++
		if best > answer {
			answer = best
		}
		for i := r + 1; i <= m; i += i & -i {
			if tree[i] < best {
				tree[i] = best
			}
		}
	}
	return int(answer)
}
