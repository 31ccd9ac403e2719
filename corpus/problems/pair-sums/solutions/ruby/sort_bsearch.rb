# Sort, then two binary searches per element over the whole array; every pair is found from both sides.
def count_pairs(nums, target)
  sorted = nums.sort
  n = sorted.size
  ordered = 0
  sorted.each do |x|
    want = target - x
    low = sorted.bsearch_index { |y| y >= want }
    next if low.nil? || sorted[low] != want
    high = sorted.bsearch_index { |y| y > want } || n
    ordered += high - low
    ordered -= 1 if want == x
  end
  ordered / 2
end
