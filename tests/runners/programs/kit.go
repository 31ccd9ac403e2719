type Kit struct {
	sum int64
}

func Constructor(start int) Kit {
	return Kit{int64(start)}
}

func (this *Kit) Add(x int64) {
	this.sum += x
}

func (this *Kit) Total() int64 {
	return this.sum
}

func (this *Kit) SortValues(nums []int) {
	sort.Ints(nums)
}

func (this *Kit) ReversedList(head *ListNode) *ListNode {
	var last *ListNode
	for head != nil {
		head.Next, last, head = last, head, head.Next
	}
	return last
}

func (this *Kit) Mirrored(root *TreeNode) *TreeNode {
	for nodes := []*TreeNode{root}; len(nodes) > 0; nodes = nodes[1:] {
		if node := nodes[0]; node != nil {
			node.Left, node.Right = node.Right, node.Left
			nodes = append(nodes, node.Left, node.Right)
		}
	}
	return root
}

func (this *Kit) DepthOf(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + this.DepthOf(n-1)
}

func (this *Kit) Noisy(s string) string {
	fmt.Println(s)
	fmt.Fprintln(os.Stdout, "[1,2]")
	return s + s
}
