// phi[k] starts as k; each prime takes its share from its multiples.
func totientSum(n int) int64 {
	phi := make([]int64, n+1)
	for k := range phi {
		phi[k] = int64(k)
	}
	var total int64
	for p := 1; p <= n; p++ {
		if p > 1 && phi[p] == int64(p) {
			for k := p; k <= n; k += p {
				phi[k] -= phi[k] / int64(p)
			}
		}
		total += phi[p]
	}
	return total
}
