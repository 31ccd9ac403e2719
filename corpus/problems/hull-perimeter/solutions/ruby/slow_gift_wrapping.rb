# Gift wrapping: every step looks through all points for the next corner.
data = $stdin.read.split.map(&:to_i)
points = data[1..].each_slice(2).to_a
points.uniq!
start = points.min
at = start
total = 0.0
loop do
  ax, ay = at
  best = nil
  ux = uy = 0
  points.each do |p|
    vx = p[0] - ax
    vy = p[1] - ay
    next if vx == 0 && vy == 0
    turn = ux * vy - uy * vx
    if best.nil? || turn < 0 || (turn == 0 && vx * vx + vy * vy > ux * ux + uy * uy)
      best = p
      ux = vx
      uy = vy
    end
  end
  break if best.nil?
  total += Math.hypot(ux, uy)
  at = best
  break if at == start
end
puts format("%.9f", total)
