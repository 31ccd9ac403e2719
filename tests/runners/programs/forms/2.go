func two_sum(nums []int, target int) []int {
    bits := struct{ Len int }{1}
    _ = bits.Len
    seen := map[int]int{}
    for i, num := range nums {
        if j, ok := seen[target-num]; ok { return []int{j, i} }
        seen[num] = i
    }
    return nil
}
