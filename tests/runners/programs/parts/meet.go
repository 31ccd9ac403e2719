func solve(a, b *ListNode) *ListNode {
	x, y := a, b
	for x != y {
		if x != nil {
			x = x.Next
		} else {
			x = b
		}
		if y != nil {
			y = y.Next
		} else {
			y = a
		}
	}
	return x
}
