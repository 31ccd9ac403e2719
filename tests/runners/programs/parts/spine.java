class Solution {
    public TreeNode solve(TreeNode root, TreeNode p) {
        while (root != null && root != p) root = root.left;
        return root;
    }
}
