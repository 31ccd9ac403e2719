# A hash from x to the points of that column; only the extremes enter the chains.
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

points = []
$stdin.each_line.with_index do |line, i|
  next if i.zero?
  gap = line.index(" ")
  points << [line.to_i, line[gap..].to_i] if gap
end
columns = points.group_by(&:first).map { |x, column| [x, *column.map(&:last).minmax] }.sort
bottom = chain(columns.map { |x, low, _| [x, low] })
top = chain(columns.reverse.map { |x, _, high| [x, high] })
puts format("%.9f", length(bottom + top + [bottom[0]]))
