type ListNode struct {
    Val int
    Next *ListNode
}
func solve(head *ListNode) *ListNode {
    if head == nil { return nil }
    return head.Next
}
