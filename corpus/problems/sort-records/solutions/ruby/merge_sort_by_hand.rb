# Recursive merge sort on index arrays.
def merge_sort(part, scores)
  return part if part.size < 2
  half = part.size / 2
  left = merge_sort(part[0, half], scores)
  right = merge_sort(part[half..], scores)
  merged = []
  i = j = 0
  while i < left.size && j < right.size
    if scores[left[i]] >= scores[right[j]]
      merged << left[i]
      i += 1
    else
      merged << right[j]
      j += 1
    end
  end
  merged.concat(left[i..]).concat(right[j..])
end

lines = $stdin.readlines
n = lines[0].to_i
names = []
scores = []
lines[1, n].each do |line|
  name, score = line.split(" ")
  names << name
  scores << score.to_i
end
order = merge_sort((0...n).to_a, scores)
puts order.each_with_index.map { |i, p| "#{p + 1} #{names[i]} #{scores[i]}" }
