class Solution {
    public ListNode solve(ListNode head) {
        Set<ListNode> seen = new HashSet<>();
        while (head != null && seen.add(head)) head = head.next;
        return head;
    }
}
