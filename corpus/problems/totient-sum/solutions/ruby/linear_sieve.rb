# Linear sieve of totients: each composite is set once, from its smallest prime.
def totient_sum(n)
  phi = Array.new(n + 1, 0)
  phi[1] = 1
  primes = []
  (2..n).each do |i|
    f = phi[i]
    if f == 0
      f = phi[i] = i - 1
      primes << i
    end
    primes.each do |p|
      k = i * p
      break if k > n
      if i % p == 0
        phi[k] = f * p
        break
      end
      phi[k] = f * (p - 1)
    end
  end
  phi.sum
end
