var solve = function(head) {
    const seen = new Set();
    for (; head && !seen.has(head); head = head.next) seen.add(head);
    return head;
};
