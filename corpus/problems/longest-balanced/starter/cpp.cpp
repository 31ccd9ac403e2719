class Solution {
public:
    int longestBalanced(string s) {
        
    }
};
