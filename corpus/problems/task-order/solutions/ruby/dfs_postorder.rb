# Depth-first search with an explicit stack; followers are popped off their lists.
def solve(n, after)
  state = Array.new(n + 1, 0)
  finished = []
  path = []
  1.upto(n) do |root|
    next if state[root] != 0
    state[root] = 1
    path << root
    until path.empty?
      v = path[-1]
      list = after[v]
      w = list && list.pop
      if w.nil?
        state[v] = 2
        finished << v
        path.pop
      elsif state[w] == 1
        return nil
      elsif state[w] == 0
        state[w] = 1
        path << w
      end
    end
  end
  finished.reverse
end

nums = STDIN.read.split
n = nums[0].to_i
after = []
i = 2
while i < nums.size
  (after[nums[i].to_i] ||= []) << nums[i + 1].to_i
  i += 2
end
order = solve(n, after)
puts order ? order.join(" ") : "IMPOSSIBLE"
