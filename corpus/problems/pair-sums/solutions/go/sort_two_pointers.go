// Sort, then two pointers over runs of equal values.
func countPairs(nums []int, target int) int64 {
	sort.Ints(nums)
	i, j := 0, len(nums)-1
	result := 0
	for i < j {
		switch total := nums[i] + nums[j]; {
		case total < target:
			i++
		case total > target:
			j--
		case nums[i] == nums[j]:
			k := j - i + 1
			return int64(result + k*(k-1)/2)
		default:
			left, right := 1, 1
			for nums[i+left] == nums[i] {
				left++
			}
			for nums[j-right] == nums[j] {
				right++
			}
			result += left * right
			i += left
			j -= right
		}
	}
	return int64(result)
}
