class Solution {
public:
    Node* solve(Node* root) {
        if (root && root->left) {
            root->left->next = root->right;
            root->right->next = root->next ? root->next->left : nullptr;
            solve(root->left);
            solve(root->right);
        }
        return root;
    }
};
