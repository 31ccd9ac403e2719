# ends[i + 1]: longest balanced substring whose last byte is byte i.
def longest_balanced(s)
  bytes = s.bytes
  ends = Array.new(bytes.size + 1, 0)
  1.upto(bytes.size - 1) do |i|
    next if bytes[i] == 40
    j = i - ends[i] - 1
    ends[i + 1] = ends[i] + 2 + ends[j] if j >= 0 && bytes[j] == 40
  end
  ends.max
end
