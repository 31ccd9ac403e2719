class Solution {
public:
    int longestRising(vector<int>& nums) {
        
    }
};
