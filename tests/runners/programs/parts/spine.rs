impl Solution {
    pub fn solve(root: Option<Rc<RefCell<TreeNode>>>, p: Option<Rc<RefCell<TreeNode>>>) -> Option<Rc<RefCell<TreeNode>>> {
        let wanted = p?;
        let mut at = root;
        while let Some(node) = at {
            if Rc::ptr_eq(&node, &wanted) {
                return Some(node);
            }
            at = node.borrow().left.clone();
        }
        None
    }
}
