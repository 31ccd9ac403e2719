# Blocks of k cut by each_slice, prefix and suffix maxima by running values.
n, k = gets.split.map(&:to_i)
a = gets.split.map!(&:to_i)
pre = []
suf = []
a.each_slice(k) do |block|
  m = block[0]
  block.each { |x| pre << (m = x > m ? x : m) }
  m = block[-1]
  back = block.reverse.map { |x| m = x > m ? x : m }
  suf.concat(back.reverse)
end
out = Array.new(n - k + 1) do |i|
  s = suf[i]
  p = pre[i + k - 1]
  s > p ? s : p
end
puts out.join(" ")
