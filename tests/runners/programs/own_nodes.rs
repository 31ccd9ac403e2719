#[derive(PartialEq)]
pub struct ListNode { pub val: i32, pub next: Option<Box<ListNode>> }
impl Solution {
    pub fn solve(head: Option<Box<ListNode>>) -> Option<Box<ListNode>> { head.and_then(|node| node.next) }
}
