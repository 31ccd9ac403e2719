// Walks through the Farey sequence of order n; it has one fraction per counted pair.
func totientSum(n int) int64 {
	a, b, c, d := 0, 1, 1, n
	var steps int64
	for c <= d {
		k := (n + b) / d
		a, b, c, d = c, d, k*c-a, k*d-b
		steps++
	}
	return steps
}
