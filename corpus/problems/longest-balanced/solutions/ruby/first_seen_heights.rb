# Hash from height to the position where the present stretch at that height began.
def longest_balanced(s)
  first = { 0 => 0 }
  height = 0
  best = 0
  s.each_byte.with_index(1) do |b, position|
    if b == 40
      height += 1
      first[height] = position unless first.key?(height)
    else
      first.delete(height)
      height -= 1
      start = (first[height] ||= position)
      best = position - start if position - start > best
    end
  end
  best
end
