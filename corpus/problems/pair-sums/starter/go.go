func countPairs(nums []int, target int) int64 {
    
}
