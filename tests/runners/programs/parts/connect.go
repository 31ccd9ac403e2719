func solve(root *Node) *Node {
	if root != nil && root.Left != nil {
		root.Left.Next = root.Right
		if root.Next != nil {
			root.Right.Next = root.Next.Left
		}
		solve(root.Left)
		solve(root.Right)
	}
	return root
}
