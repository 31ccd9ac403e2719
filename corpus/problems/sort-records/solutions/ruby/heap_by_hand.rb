# A binary heap of packed keys, built in place and drained.
def sift(heap, root, size)
  value = heap[root]
  while (child = 2 * root + 1) < size
    child += 1 if child + 1 < size && heap[child + 1] < heap[child]
    break if heap[child] >= value
    heap[root] = heap[child]
    root = child
  end
  heap[root] = value
end

names = []
heap = []
gets.to_i.times do |i|
  name, score = gets.split
  names << name
  heap << ((-score.to_i << 16) + i)
end
(heap.size / 2 - 1).downto(0) { |root| sift(heap, root, heap.size) }
size = heap.size
place = 0
while size > 0
  key = heap[0]
  size -= 1
  heap[0] = heap[size]
  sift(heap, 0, size) if size > 0
  place += 1
  $stdout.print(place, " ", names[key & 65_535], " ", -(key >> 16), "\n")
end
