func longestRising(nums []int) int {
    
}
