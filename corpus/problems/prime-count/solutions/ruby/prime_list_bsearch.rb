# Wheel of 2 and 3: candidates 6k - 1 and 6k + 1 only; primes searched with bsearch.
data = STDIN.read.split.map(&:to_i)
top = data[1..].max
comp = Array.new(top + 1)
primes = [2, 3]
v = 5
step = 2
while v <= top
  unless comp[v]
    primes << v
    if v * v <= top
      m = v * v
      a = step * v
      b = 6 * v - a
      while m <= top
        comp[m] = true
        m += a
        a, b = b, a
      end
    end
  end
  v += step
  step = 6 - step
end
size = primes.size
rank = lambda { |x| primes.bsearch_index { |p| p > x } || size }
out = +""
1.step(data.size - 2, 2) do |i|
  out << (rank.call(data[i + 1]) - rank.call(data[i] - 1)).to_s << "\n"
end
print out
