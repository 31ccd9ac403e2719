class ListNode { constructor(v) { this.val = v; this.next = null } }
const solve = (head) => head && head.next
