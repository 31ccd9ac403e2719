# Hash from the end of each matched pair to the start of its block.
def longest_balanced(s)
  start_of = {}
  open = []
  s.chars.each_with_index do |ch, j|
    if ch == '('
      open << j
    elsif (i = open.pop)
      start_of[j] = start_of.fetch(i - 1, i)
    end
  end
  start_of.map { |last, start| last - start + 1 }.max || 0
end
