use std::rc::Rc;
use std::cell::RefCell;
use std::collections::VecDeque;

struct Kit {
    sum: i64,
}

impl Kit {

    fn new(start: i32) -> Self {
        Kit { sum: start as i64 }
    }

    fn add(&mut self, x: i64) {
        self.sum += x;
    }

    fn total(&self) -> i64 {
        self.sum
    }

    fn sort_values(&self, nums: &mut Vec<i32>) {
        nums.sort();
    }

    fn reversed_list(&self, mut head: Option<Box<ListNode>>) -> Option<Box<ListNode>> {
        let mut last = None;
        while let Some(mut node) = head {
            head = node.next.take();
            node.next = last;
            last = Some(node);
        }
        last
    }

    fn mirrored(&self, root: Option<Rc<RefCell<TreeNode>>>) -> Option<Rc<RefCell<TreeNode>>> {
        let mut nodes = VecDeque::new();
        nodes.extend(root.clone());
        while let Some(node) = nodes.pop_front() {
            let mut node = node.borrow_mut();
            let left = node.left.take();
            node.left = node.right.take();
            node.right = left;
            nodes.extend(node.left.clone());
            nodes.extend(node.right.clone());
        }
        root
    }

    fn depth_of(&self, n: i32) -> i32 {
        if n == 0 { 0 } else { 1 + self.depth_of(n - 1) }
    }

    fn noisy(&self, s: String) -> String {
        println!("{}", s);
        println!("[1,2]");
        s.clone() + &s
    }
}
