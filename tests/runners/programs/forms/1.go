package solution
import "strings"
import m "math"
type list struct{ next *list }
func sort(a []int) int { return len(a) + int(m.Abs(0)) }
var reflect, io = 1, 2
func TwoSum(nums []int, target int) []int {
    h := []int{sort(nums), reflect, io}
    fmt.Println(h)
    seen := map[int]int{}
    for i, num := range nums {
        if j, ok := seen[target-num]; ok { return []int{j, i} }
        seen[num] = i
    }
    return nil
}
