func addTo(values []int, amount int) []int {
	for i := range values {
		values[i] += amount
	}
	return values
}
