struct ListNode { int val; ListNode *next; ListNode(int v) : val(v), next(nullptr) {} };
class Solution {
public:
    ListNode* solve(ListNode* head) { return head ? head->next : head; }
};
