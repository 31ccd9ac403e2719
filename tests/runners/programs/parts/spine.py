class Solution:
    def solve(self, root, p):
        while root and root is not p:
            root = root.left
        return root
