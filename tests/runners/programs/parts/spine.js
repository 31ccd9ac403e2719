var solve = function(root, p) {
    while (root && root !== p) root = root.left;
    return root;
};
