# F(m) = m(m+1)/2 - sum over d >= 2 of F(m / d), with equal quotients taken together and
# a sieve for the arguments up to about n^(2/3).
class TotientBlocks
  def initialize(n)
    @small = [2, (n**(2.0 / 3)).round].max
    phi = (0..@small).to_a
    (2..@small).each do |p|
      next if phi[p] != p
      p.step(@small, p) { |k| phi[k] -= phi[k] / p }
    end
    running = 0
    @prefix = phi.map { |f| running += f }
    @known = {}
  end

  def total(m)
    return @prefix[m] if m <= @small
    @known[m] ||= begin
      result = m * (m + 1) / 2
      d = 2
      while d <= m
        q = m / d
        last = m / q
        result -= (last - d + 1) * total(q)
        d = last + 1
      end
      result
    end
  end
end

def totient_sum(n)
  TotientBlocks.new(n).total(n)
end
