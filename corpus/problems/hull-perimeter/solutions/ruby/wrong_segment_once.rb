# Monotone chain; points on one line give the length of the segment.
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

data = $stdin.read.split.map(&:to_i)
points = data[1..].each_slice(2).to_a
points = points.uniq.sort
hull = chain(points)[0..-2] + chain(points.reverse)[0..-2]
total = 0.0
total = length(hull) if hull.size > 1
total += distance(hull[-1], hull[0]) if hull.size > 2
puts format("%.9f", total)
