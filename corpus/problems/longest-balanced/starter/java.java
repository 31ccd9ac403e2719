class Solution {
    public int longestBalanced(String s) {
        
    }
}
