# Sorts packed (height, position) keys; runs that always leave upwards are balanced.
def longest_balanced(s)
  n = s.size
  base = n + 1
  key = n * base
  keys = [key]
  s.each_byte do |b|
    key += b == 40 ? base + 1 : 1 - base
    keys << key
  end
  keys.sort!
  best = 0
  height, start = keys[0].divmod(base)
  before = start
  keys.each_with_index do |k, index|
    next if index == 0
    h, p = k.divmod(base)
    if h == height && s.getbyte(before) == 40
      best = p - start if p - start > best
    else
      start = p
    end
    height = h
    before = p
  end
  best
end
