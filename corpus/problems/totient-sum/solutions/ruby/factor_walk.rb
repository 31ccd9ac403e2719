# Visits every number up to n once by appending primes in non-decreasing order;
# the last prime appended to a number is taken in a flat loop.
def sieve_primes(n)
  flags = Array.new(n + 1, true)
  2.upto(Integer.sqrt(n)) do |p|
    (p * p).step(n, p) { |k| flags[k] = false } if flags[p]
  end
  (2..n).select { |k| flags[k] }
end

def walk(primes, at, value, phi, n)
  total = 0
  size = primes.size
  while at < size
    p = primes[at]
    v = value * p
    break if v > n
    f = phi * (p - 1)
    while v <= n
      total += f
      total += walk(primes, at + 1, v, f, n) if v * p < n
      v *= p
      f *= p
    end
    at += 1
  end
  total
end

def totient_sum(n)
  1 + walk(sieve_primes(n), 0, 1, 1, n)
end
