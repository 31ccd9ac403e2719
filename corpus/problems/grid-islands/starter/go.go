func countIslands(grid [][]int) int {
    
}
