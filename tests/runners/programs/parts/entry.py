class Solution:
    def solve(self, head):
        seen = set()
        while head and head not in seen:
            seen.add(head)
            head = head.next
        return head
