class Solution {
    public int countIslands(int[][] grid) {
        
    }
}
