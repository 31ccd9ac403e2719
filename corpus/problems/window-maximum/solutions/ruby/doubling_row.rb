# The row of window maxima is doubled in length until it reaches k.
data = STDIN.read.split
n = data[0].to_i
k = data[1].to_i
row = data[2, n].map(&:to_i)
w = 1
while w < k
  step = [w, k - w].min
  w += step
  last = n - w
  i = 0
  while i <= last
    y = row[i + step]
    row[i] = y if y > row[i]
    i += 1
  end
end
puts row[0..n - k].join(" ")
