# Looks at every element of every window.
n, k = gets.split.map(&:to_i)
a = gets.split.map(&:to_i)
out = []
(0..n - k).each do |s|
  best = a[s]
  a[s, k].each { |x| best = x if x > best }
  out << best
end
puts out.join(" ")
