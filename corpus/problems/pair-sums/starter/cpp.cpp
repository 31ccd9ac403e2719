class Solution {
public:
    long long countPairs(vector<int>& nums, long long target) {
        
    }
};
