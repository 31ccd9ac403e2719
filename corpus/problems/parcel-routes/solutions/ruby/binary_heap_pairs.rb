# Dijkstra with a binary heap of [distance, node] pairs; outdated pairs are skipped.
class MinHeap
  def initialize
    @items = []
  end

  def empty?
    @items.empty?
  end

  def push(item)
    @items << item
    i = @items.size - 1
    while i > 0
      parent = (i - 1) / 2
      break if @items[parent][0] <= @items[i][0]
      @items[parent], @items[i] = @items[i], @items[parent]
      i = parent
    end
  end

  def pop
    top = @items[0]
    tail = @items.pop
    unless @items.empty?
      @items[0] = tail
      i = 0
      loop do
        child = 2 * i + 1
        break if child >= @items.size
        child += 1 if child + 1 < @items.size && @items[child + 1][0] < @items[child][0]
        break if @items[i][0] <= @items[child][0]
        @items[child], @items[i] = @items[i], @items[child]
        i = child
      end
    end
    top
  end
end

n, m = gets.split.map(&:to_i)
roads = Array.new(n + 1) { [] }
m.times do
  a, b, w = gets.split.map(&:to_i)
  roads[a] << [b, w]
end
dist = Array.new(n + 1)
heap = MinHeap.new
heap.push([0, 1])
until heap.empty?
  d, v = heap.pop
  next if dist[v]
  dist[v] = d
  roads[v].each { |u, w| heap.push([d + w, u]) unless dist[u] }
end
puts dist[1..].map { |d| d || -1 }.join(" ")
