class Solution:
    def solve(self, root):
        if root and root.left:
            root.left.next = root.right
            root.right.next = root.next.left if root.next else None
            self.solve(root.left)
            self.solve(root.right)
        return root
