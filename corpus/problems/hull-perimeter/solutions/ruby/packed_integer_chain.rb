# Sorts packed integers and runs the chain on plain coordinate stacks.
numbers = $stdin.read.split
n = numbers[0].to_i
xs = Array.new(n)
ys = Array.new(n)
keys = Array.new(n) { |i| (numbers[2 * i + 1].to_i + 1_000_000) << 21 | (numbers[2 * i + 2].to_i + 1_000_000) }
keys.sort!
total = 0.0
2.times do
  k = 0
  keys.each do |key|
    x = key >> 21
    y = key & 2_097_151
    while k > 1
      ax = xs[k - 2]
      ay = ys[k - 2]
      break if (xs[k - 1] - ax) * (y - ay) > (ys[k - 1] - ay) * (x - ax)
      k -= 1
    end
    xs[k] = x
    ys[k] = y
    k += 1
  end
  1.upto(k - 1) { |i| total += Math.sqrt((xs[i] - xs[i - 1])**2 + (ys[i] - ys[i - 1])**2) }
  keys.reverse!
end
printf("%.8f\n", total)
