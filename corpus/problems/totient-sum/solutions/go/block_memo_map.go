// F(m) = m(m+1)/2 - sum of F(m / d), d >= 2, memoised in a map without any sieve.
func totientSum(n int) int64 {
	known := map[int64]int64{1: 1}
	var total func(m int64) int64
	total = func(m int64) int64 {
		if v, ok := known[m]; ok {
			return v
		}
		result := m * (m + 1) / 2
		for d := int64(2); d <= m; {
			q := m / d
			last := m / q
			result -= (last - d + 1) * total(q)
			d = last + 1
		}
		known[m] = result
		return result
	}
	return total(int64(n))
}
