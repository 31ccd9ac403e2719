class Solution {
public:
    ListNode* solve(ListNode* head) {
        set<ListNode*> seen;
        while (head && seen.insert(head).second) head = head->next;
        return head;
    }
};
