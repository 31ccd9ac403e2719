class Solution {
    public Node solve(Node root) {
        if (root != null && root.left != null) {
            root.left.next = root.right;
            root.right.next = root.next != null ? root.next.left : null;
            solve(root.left);
            solve(root.right);
        }
        return root;
    }
}
