func totientSum(n int) int64 {
    
}
