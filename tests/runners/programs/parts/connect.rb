def solve(root)
  if root && root.left
    root.left.next = root.right
    root.right.next = root.next && root.next.left
    solve(root.left)
    solve(root.right)
  end
  root
end
