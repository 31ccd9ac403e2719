# phi[k] starts as k; every prime removes its share from its multiples.
def totient_sum(n)
  phi = (0..n).to_a
  2.upto(n) do |p|
    next unless phi[p] == p
    k = p
    while k <= n
      phi[k] -= phi[k] / p
      k += p
    end
  end
  phi.sum
end
