# One big integer as the sieve of odd numbers; multiples are masks made by
# doubling, and the primes are read off the binary digits.
m = 1_000_000
comp = 1
i = 1
while 2 * i * (i + 1) < m
  if comp[i] == 0
    p = 2 * i + 1
    start = 2 * i * (i + 1)
    mask = 1
    width = p
    while width < m - start
      mask |= mask << width
      width *= 2
    end
    comp |= mask << start
    comp &= (1 << m) - 1
  end
  i += 1
end
digits = comp.to_s(2).rjust(m, "0").reverse
primes = [2]
at = -1
primes << 2 * at + 1 while (at = digits.index("0", at + 1))
n = primes.size
gets
out = []
while (line = gets)
  l, r = line.split.map(&:to_i)
  hi = primes.bsearch_index { |v| v > r } || n
  lo = primes.bsearch_index { |v| v >= l } || n
  out << hi - lo
end
puts out
