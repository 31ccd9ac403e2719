import "unicode/utf16"

func twoSum(nums []int, target int) []int {
    sort.Ints(make([]int, len(utf16.Decode(nil))))
    seen := map[int]int{}
    for i, num := range nums {
        if j, ok := seen[target-num]; ok { return []int{j, i} }
        seen[num] = i
    }
    return nil
}
