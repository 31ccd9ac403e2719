# One gcd per pair.
def totient_sum(n)
  total = 0
  1.upto(n) do |k|
    total += (1..k).count { |j| j.gcd(k) == 1 }
  end
  total
end
