# Odd-only sieve in an array, running totals in another.
half = 1_000_000
odd = Array.new(half, 1)
odd[0] = 0
i = 1
while 2 * i * (i + 1) < half
  if odd[i] == 1
    p = 2 * i + 1
    j = 2 * i * (i + 1)
    while j < half
      odd[j] = 0
      j += p
    end
  end
  i += 1
end
pre = Array.new(half + 1, 0)
total = 0
k = 0
while k < half
  total += odd[k]
  k += 1
  pre[k] = total
end
q = gets.to_i
out = []
q.times do
  l, r = gets.split.map(&:to_i)
  hi = r < 2 ? 0 : 1 + pre[(r + 1) / 2]
  lo = l < 3 ? 0 : 1 + pre[l / 2]
  out << hi - lo
end
puts out
