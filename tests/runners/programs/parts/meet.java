class Solution {
    public ListNode solve(ListNode a, ListNode b) {
        ListNode x = a, y = b;
        while (x != y) {
            x = x != null ? x.next : b;
            y = y != null ? y.next : a;
        }
        return x;
    }
}
