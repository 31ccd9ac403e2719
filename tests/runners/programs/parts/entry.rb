def solve(head)
  seen = {}.compare_by_identity
  while head && !seen[head]
    seen[head] = true
    head = head.next
  end
  head
end
