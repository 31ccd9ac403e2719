# Coprime ordered pairs: sum of mu(d) * (n / d)^2, with mu kept as bytes (0, 1, 2 for -1).
def totient_sum(n)
  mu = "\x01" * (n + 1)
  prime = "\x01" * (n + 1)
  2.upto(n) do |p|
    next if prime.getbyte(p) == 0
    k = p
    while k <= n
      prime.setbyte(k, 0)
      sign = mu.getbyte(k)
      mu.setbyte(k, 3 - sign) if sign > 0
      k += p
    end
    square = p * p
    k = square
    while k <= n
      mu.setbyte(k, 0)
      k += square
    end
  end
  pairs = 0
  1.upto(n) do |d|
    sign = mu.getbyte(d)
    next if sign == 0
    q = n / d
    pairs += sign == 1 ? q * q : -q * q
  end
  (pairs + 1) / 2
end
