class Solution {
public:
    TreeNode* solve(TreeNode* root, TreeNode* p) {
        while (root && root != p) root = root->left;
        return root;
    }
};
