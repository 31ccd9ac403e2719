# Frequencies by tally, then one product per pair of complementary values.
def count_pairs(nums, target)
  counts = nums.tally
  ordered = counts.sum do |x, c|
    partner = counts[target - x]
    if partner.nil?
      0
    elsif x + x == target
      c * (c - 1)
    else
      c * partner
    end
  end
  ordered / 2
end
