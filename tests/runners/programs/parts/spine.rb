def solve(root, p)
  root = root.left while root && !root.equal?(p)
  root
end
