// Sieve of totients with 32-bit numbers throughout.
func totientSum(n int) int64 {
	phi := make([]int32, n+1)
	var total int32
	for k := range phi {
		phi[k] = int32(k)
	}
	for p := 1; p <= n; p++ {
		if p > 1 && phi[p] == int32(p) {
			for k := p; k <= n; k += p {
				phi[k] = phi[k] / int32(p) * int32(p-1)
			}
		}
		total += phi[p]
	}
	return int64(total)
}
