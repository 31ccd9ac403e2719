# Sorted runs of equal values as [value, size] pairs, consumed from both ends.
def count_pairs(nums, target)
  runs = nums.sort.chunk_while { |a, b| a == b }.map { |run| [run[0], run.size] }
  result = 0
  until runs.empty?
    low, left = runs.first
    high, right = runs.last
    if runs.size == 1
      result += left * (left - 1) / 2 if low * 2 == target
      break
    end
    case (low + high) <=> target
    when -1 then runs.shift
    when 1 then runs.pop
    else
      result += left * right
      runs.shift
      runs.pop
    end
  end
  result
end
