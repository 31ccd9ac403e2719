# Blots out the brackets without partner and measures the pieces left.
def longest_balanced(s)
  text = s.dup
  open = []
  text.each_byte.with_index do |b, i|
    if b == 40
      open << i
    elsif open.pop.nil?
      text.setbyte(i, 46)
    end
  end
  open.each { |i| text.setbyte(i, 46) }
  text.split('.').map(&:size).max || 0
end
