# Divides the smallest prime out again and again, multiplying by p - 1 each time.
def totient_sum(n)
  smallest = Array.new(n + 1, 0)
  phi = Array.new(n + 1, 1)
  total = 1
  2.upto(n) do |k|
    if smallest[k] == 0
      j = k
      while j <= n
        smallest[j] = k if smallest[j] == 0
        j += k
      end
    end
    p = smallest[k]
    phi[k] = phi[k / p] * (p - 1)
    total += phi[k]
  end
  total
end
