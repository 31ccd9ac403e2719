# Tests every number of every query by trial division.
def prime?(v)
  return false if v < 2
  d = 2
  while d * d <= v
    return false if v % d == 0
    d += 1
  end
  true
end

gets.to_i.times do
  l, r = gets.split.map(&:to_i)
  puts (l..r).count { |v| prime?(v) }
end
