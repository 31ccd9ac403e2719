# Monotone chains over the sorted points in both directions.
def cross(a, b, c)
  (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
end

def distance(a, b)
  Math.hypot(a[0] - b[0], a[1] - b[1])
end

def chain(points)
  hull = []
  points.each do |p|
    hull.pop while hull.size > 1 && cross(hull[-2], hull[-1], p) <= 0
    hull << p
  end
  hull
end

def length(hull)
  hull.each_cons(2).sum { |a, b| distance(a, b) }
end

points = Array.new(gets.to_i) { gets.split.map(&:to_i) }
points.sort!.uniq!
total = length(chain(points)) + length(chain(points.reverse))
puts format("%.9f", total)
