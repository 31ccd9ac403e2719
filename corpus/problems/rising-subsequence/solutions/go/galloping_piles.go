// Tails per length; the search gallops from the place of the previous number.
func longestRising(nums []int) int {
	tails := make([]int, 0, len(nums))
	last := 0
	for _, x := range nums {
		lo, hi := 0, len(tails)
		step := 1
		if last < len(tails) && tails[last] < x {
			lo = last + 1
			for lo+step < hi && tails[lo+step] < x {
				lo += step + 1
				step *= 2
			}
			if lo+step < hi {
				hi = lo + step
			}
		} else if last < len(tails) {
			hi = last
			for hi-step >= 0 && tails[hi-step] >= x {
				hi -= step
				step *= 2
			}
			if hi-step >= 0 {
				lo = hi - step + 1
			}
		}
		for lo < hi {
			mid := int(uint(lo+hi) >> 1)
			if tails[mid] < x {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		if lo == len(tails) {
			tails = append(tails, x)
		} else {
			tails[lo] = x
		}
		last = lo
	}
	return len(tails)
}
