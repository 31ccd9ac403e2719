class Solution {
public:
    ListNode* solve(ListNode* a, ListNode* b) {
        ListNode *x = a, *y = b;
        while (x != y) {
            x = x ? x->next : b;
            y = y ? y->next : a;
        }
        return x;
    }
};
