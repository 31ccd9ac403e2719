func longestBalanced(s string) int {
    
}
