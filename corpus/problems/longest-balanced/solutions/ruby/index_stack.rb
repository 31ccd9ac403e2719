# Stack of indices over the last impossible position.
def longest_balanced(s)
  stack = [-1]
  best = 0
  s.each_char.with_index do |ch, i|
    if ch == '('
      stack.push(i)
    else
      stack.pop
      if stack.empty?
        stack.push(i)
      else
        length = i - stack.last
        best = length if length > best
      end
    end
  end
  best
end
