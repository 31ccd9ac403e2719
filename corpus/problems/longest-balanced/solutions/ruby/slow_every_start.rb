# Follows the balance from every start.
def longest_balanced(s)
  bytes = s.bytes
  n = bytes.size
  best = 0
  n.times do |i|
    depth = 0
    j = i
    while j < n
      depth += bytes[j] == 40 ? 1 : -1
      break if depth < 0
      j += 1
      best = j - i if depth == 0 && j - i > best
    end
  end
  best
end
