# Counts all matched pairs of the string.
def longest_balanced(s)
  depth = 0
  total = 0
  s.each_byte do |b|
    if b == 40
      depth += 1
    elsif depth > 0
      depth -= 1
      total += 2
    end
  end
  total
end
