func solve(root *TreeNode, p *TreeNode) *TreeNode {
	for root != nil && root != p {
		root = root.Left
	}
	return root
}
