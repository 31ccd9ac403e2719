class ListNode {
    int val;
    ListNode next;
    ListNode(int v) { val = v; }
}
public class Solution {
    public ListNode solve(ListNode head) { return head == null ? null : head.next; }
}
