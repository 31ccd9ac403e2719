# Falling sequence of indices in an array with a moving head.
n, k = gets.split.map(&:to_i)
a = gets.split.map(&:to_i)
queue = []
head = 0
out = []
i = 0
while i < n
  x = a[i]
  queue.pop while queue.size > head && a[queue[-1]] <= x
  queue << i
  head += 1 if queue[head] <= i - k
  out << a[queue[head]] if i >= k - 1
  i += 1
end
puts out.join(" ")
