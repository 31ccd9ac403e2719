# Tournament tree over a ring of k slots, climbing until nothing changes.
n, k = gets.split.map(&:to_i)
a = gets.split.map(&:to_i)
size = 1
size *= 2 while size < k
tree = Array.new(2 * size, -10**10)
tree[size, k] = a[0, k]
(size - 1).downto(1) { |i| tree[i] = [tree[2 * i], tree[2 * i + 1]].max }
out = [tree[1]]
slot = 0
k.upto(n - 1) do |i|
  p = size + slot
  best = a[i]
  tree[p] = best
  while p > 1
    other = tree[p ^ 1]
    best = other if other > best
    p >>= 1
    break if tree[p] == best
    tree[p] = best
  end
  slot += 1
  slot = 0 if slot == k
  out << tree[1]
end
puts out.join(" ")
