class Solution {
    public long totientSum(int n) {
        
    }
}
