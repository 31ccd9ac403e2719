# Quickhull with an explicit stack of edges and outside points.
def distance(a, b)
  Math.hypot(a[0] - b[0], a[1] - b[1])
end

data = $stdin.read.split.map(&:to_i)
points = data[1..].each_slice(2).to_a
a, b = points.minmax
stack = [[a, b, points], [b, a, points]]
total = 0.0
until stack.empty?
  a, b, candidates = stack.pop
  ax, ay = a
  ux = b[0] - ax
  uy = b[1] - ay
  best = 0
  far = nil
  outside = candidates.select do |p|
    side = ux * (p[1] - ay) - uy * (p[0] - ax)
    if side > best
      best = side
      far = p
    end
    side > 0
  end
  if far
    stack.push([a, far, outside], [far, b, outside])
  else
    total += distance(a, b)
  end
end
puts format("%.9f", total)
