func solve(head *ListNode) *ListNode {
	seen := map[*ListNode]bool{}
	for head != nil && !seen[head] {
		seen[head] = true
		head = head.Next
	}
	return head
}
