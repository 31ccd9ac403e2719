// The totients of the divisors of k sum to k, so each finished totient is taken away from
// all larger multiples.
func totientSum(n int) int64 {
	phi := make([]int, n+1)
	for k := range phi {
		phi[k] = k
	}
	total := 0
	for d := 1; d <= n; d++ {
		total += phi[d]
		for m := 2 * d; m <= n; m += d {
			phi[m] -= phi[d]
		}
	}
	return int64(total)
}
