# Graham scan: sort by angle and distance around the lowest point, one point for each direction.
def cross(a, b, c)
  (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
end

def distance(a, b)
  Math.hypot(a[0] - b[0], a[1] - b[1])
end

points = []
$stdin.each_line.with_index do |line, i|
  next if i.zero?
  gap = line.index(" ")
  points << [line.to_i, line[gap..].to_i] if gap
end
pivot = points.min_by { |x, y| [y, x] }
rest = points.uniq - [pivot]
rest = rest.sort_by { |x, y| Math.atan2(y - pivot[1], x - pivot[0]) }
front = []
rest.each do |p|
  if front.any? && cross(pivot, front.last, p).zero?
    front[-1] = p if distance(pivot, p) > distance(pivot, front.last)
  else
    front << p
  end
end
hull = [pivot]
front.each do |p|
  hull.pop while hull.size > 1 && cross(hull[-2], hull[-1], p) <= 0
  hull << p
end
total = 0.0
hull.each_index { |i| total += distance(hull[i], hull[i - 1]) }
puts "%.9f" % total
