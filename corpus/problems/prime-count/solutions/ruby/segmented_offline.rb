# End points in sorted order; a window of odd numbers moves over the range and is
# counted piece by piece.
seg_size = 1 << 16
q = gets.to_i
ends = Array.new(2 * q)
q.times do |i|
  l, r = gets.split
  ends[2 * i] = l.to_i - 1
  ends[2 * i + 1] = r.to_i
end
order = (0...2 * q).sort_by { |k| ends[k] }
base = []
3.step(1413, 2) { |p| base << p if base.none? { |b| b * b <= p && p % b == 0 } }
nxt = base.map { |p| p * p / 2 }
blank = "\x01".b * seg_size
pos = 0
low = 0
total = 1
while pos < order.size && ends[order[pos]] < 2
  ends[order[pos]] = 0
  pos += 1
end
while pos < order.size
  seg = blank.dup
  seg.setbyte(0, 0) if low == 0
  base.each_with_index do |p, k|
    j = nxt[k] - low
    while j < seg_size
      seg.setbyte(j, 0)
      j += p
    end
    nxt[k] = j + low
  end
  at = 0
  while pos < order.size
    k = order[pos]
    stop = (ends[k] + 1) / 2 - low
    break if stop > seg_size
    total += seg.byteslice(at, stop - at).count("\x01") if stop > at
    at = stop
    ends[k] = total
    pos += 1
  end
  total += seg.byteslice(at, seg_size - at).count("\x01")
  low += seg_size
end
puts (0...q).map { |i| ends[2 * i + 1] - ends[2 * i] }
