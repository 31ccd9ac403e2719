// A Fenwick tree addressed by the value itself; only the touched cells exist, in a map.
func longestRising(nums []int) int {
	const shift, top = 1000000001, 2000000001
	tree := map[int32]int32{}
	var answer int32
	for _, x := range nums {
		var best int32
		for i := x + shift - 1; i > 0; i &= i - 1 {
			if v := tree[int32(i)]; v > best {
				best = v
			}
		}
		best++
		for i := x + shift; i <= top; i += i & -i {
			if tree[int32(i)] < best {
				tree[int32(i)] = best
			}
		}
		if best > answer {
			answer = best
		}
	}
	return int(answer)
}
