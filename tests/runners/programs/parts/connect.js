var solve = function(root) {
    if (root && root.left) {
        root.left.next = root.right;
        root.right.next = root.next ? root.next.left : null;
        solve(root.left);
        solve(root.right);
    }
    return root;
};
