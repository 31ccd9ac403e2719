# Prefix counts of a sieve over the odd numbers.
half = 1_000_000
odd = Array.new(half, 1)
i = 1
while 2 * i * (i + 1) < half
  if odd[i] == 1
    j = 2 * i * (i + 1)
    while j < half
      odd[j] = 0
      j += 2 * i + 1
    end
  end
  i += 1
end
pre = [0]
total = 0
odd.each { |b| pre << (total += b) }
pi = lambda { |x| (x >= 2 ? 1 : 0) + pre[(x + 1) / 2] }
gets.to_i.times do
  l, r = gets.split.map(&:to_i)
  puts pi.call(r) - pi.call(l - 1)
end
