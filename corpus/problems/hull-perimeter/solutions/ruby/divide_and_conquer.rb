# Divide and conquer on the sorted points: join the chains of the two halves.
def cross(a, b, c)
  (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
end

def distance(a, b)
  Math.hypot(a[0] - b[0], a[1] - b[1])
end

def join(chain, tail, sign)
  tail.each do |p|
    chain.pop while chain.size > 1 && sign * cross(chain[-2], chain[-1], p) <= 0
    chain << p
  end
  chain
end

def solve(points, sign)
  return points if points.size < 3
  half = points.size / 2
  join(solve(points[0, half], sign), solve(points[half..], sign), sign)
end

points = Array.new(gets.to_i) { gets.split.map(&:to_i) }
points = points.uniq.sort
total = [1, -1].sum do |sign|
  solve(points, sign).each_cons(2).sum(0.0) { |a, b| distance(a, b) }
end
puts format("%.9f", total)
