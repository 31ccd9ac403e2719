// Linear sieve of totients in an int32 slice.
func totientSum(n int) int64 {
	phi := make([]int32, n+1)
	primes := make([]int, 0, n/8+8)
	total := int64(1)
	for i := 2; i <= n; i++ {
		if phi[i] == 0 {
			phi[i] = int32(i - 1)
			primes = append(primes, i)
		}
		f := phi[i]
		total += int64(f)
		for _, p := range primes {
			k := i * p
			if k > n {
				break
			}
			if i%p == 0 {
				phi[k] = f * int32(p)
				break
			}
			phi[k] = f * int32(p-1)
		}
	}
	return total
}
