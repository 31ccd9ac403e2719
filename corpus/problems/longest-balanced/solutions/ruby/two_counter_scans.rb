# Counters only: the text and its reverse are scanned once each.
def longest_balanced(s)
  [scan_once(s, 40), scan_once(s.reverse, 41)].max
end

def scan_once(s, opening)
  depth = length = best = 0
  s.each_byte do |b|
    if b == opening
      depth += 1
    elsif depth == 0
      length = 0
    else
      depth -= 1
      length += 2
      best = length if depth == 0 && length > best
    end
  end
  best
end
