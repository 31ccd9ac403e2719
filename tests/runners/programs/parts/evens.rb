def solve(nums)
  kept = 0
  nums.each do |n|
    next if n.odd?

    nums[kept] = n
    kept += 1
  end
  kept
end
