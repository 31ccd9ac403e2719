# Monotonic queue whose front may stay one step too long.
n, k = gets.split.map(&:to_i)
a = gets.split.map(&:to_i)
queue = []
out = []
n.times do |i|
  queue.pop while !queue.empty? && a[queue[-1]] <= a[i]
  queue << i
  queue.shift if queue[0] < i - k
  out << a[queue[0]] if i >= k - 1
end
puts out.join(" ")
