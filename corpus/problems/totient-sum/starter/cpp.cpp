class Solution {
public:
    long long totientSum(int n) {
        
    }
};
