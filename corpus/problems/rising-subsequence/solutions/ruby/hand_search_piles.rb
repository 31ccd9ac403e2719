# Patience sorting with a hand-written binary search and a shortcut for new piles.
def longest_rising(nums)
  top = [nums[0]]
  nums.each do |x|
    if top[-1] < x
      top << x
      next
    end
    lo = 0
    hi = top.size - 1
    while lo < hi
      mid = (lo + hi) >> 1
      if top[mid] < x
        lo = mid + 1
      else
        hi = mid
      end
    end
    top[lo] = x
  end
  top.size
end
