# Links to the next greater element; the pointer never turns back.
n, k = gets.split.map(&:to_i)
words = gets.split
a = words.map(&:to_i)
nxt = Array.new(n, n)
stack = []
n.times do |i|
  nxt[stack.pop] = i while !stack.empty? && a[stack[-1]] < a[i]
  stack.push(i)
end
j = 0
out = (0..n - k).map do |s|
  j = s if j < s
  j = nxt[j] while nxt[j] < s + k
  words[j]
end
puts out.join(" ")
