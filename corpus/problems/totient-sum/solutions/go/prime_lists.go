// Appends each prime to the lists of its multiples, then multiplies out the totients.
func totientSum(n int) int64 {
	divisors := make([][]int, n+1)
	var total int64 = 1
	for k := 2; k <= n; k++ {
		if divisors[k] == nil {
			for m := k; m <= n; m += k {
				divisors[m] = append(divisors[m], k)
			}
		}
		phi := k
		for _, p := range divisors[k] {
			phi -= phi / p
		}
		total += int64(phi)
	}
	return total
}
