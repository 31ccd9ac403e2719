// All ordered pairs by two nested walks over a linked list.
func countPairs(nums []int, target int) int64 {
	items := list.New()
	for _, x := range nums {
		items.PushBack(x)
	}
	var ordered int64
	for i := items.Front(); i != nil; i = i.Next() {
		for j := items.Front(); j != nil; j = j.Next() {
			if i != j && i.Value.(int)+j.Value.(int) == target {
				ordered++
			}
		}
	}
	return ordered / 2
}
