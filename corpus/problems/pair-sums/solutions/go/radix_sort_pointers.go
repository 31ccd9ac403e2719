// Radix sort on shifted 32-bit keys, then two pointers that step run by run.
func countPairs(nums []int, target int) int64 {
	const shift = 1000000000
	n := len(nums)
	keys := make([]uint32, n)
	spare := make([]uint32, n)
	for i, x := range nums {
		keys[i] = uint32(x + shift)
	}
	for pass := uint(0); pass < 33; pass += 11 {
		var count [2049]int
		for _, k := range keys {
			count[(k>>pass&2047)+1]++
		}
		for b := 1; b < 2049; b++ {
			count[b] += count[b-1]
		}
		for _, k := range keys {
			b := k >> pass & 2047
			spare[count[b]] = k
			count[b]++
		}
		keys, spare = spare, keys
	}
	goal := int64(target) + 2*shift
	var result int64
	j := n - 1
	for i := 0; i < n; {
		run := i
		for i < n && keys[i] == keys[run] {
			i++
		}
		size := int64(i - run)
		want := goal - int64(keys[run])
		if want < int64(keys[run]) {
			break
		}
		if want == int64(keys[run]) {
			result += size * (size - 1) / 2
			break
		}
		for j >= 0 && int64(keys[j]) > want {
			j--
		}
		for j >= 0 && int64(keys[j]) == want {
			result += size
			j--
		}
	}
	return result
}
