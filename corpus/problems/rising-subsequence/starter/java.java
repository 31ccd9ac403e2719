class Solution {
    public int longestRising(int[] nums) {
        
    }
}
