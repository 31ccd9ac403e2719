def solve(a, b)
  x = a
  y = b
  until x.equal?(y)
    x = x ? x.next : b
    y = y ? y.next : a
  end
  x
end
