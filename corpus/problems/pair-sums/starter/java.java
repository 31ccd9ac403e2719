class Solution {
    public long countPairs(int[] nums, long target) {
        
    }
}
