// Piles of tails; each number replaces the first tail above it.
class Solution {
public:
    int longestRising(vector<int>& nums) {
        vector<int> tails;
        for (int x : nums) {
            auto it = upper_bound(tails.begin(), tails.end(), x);
            if (it == tails.end()) tails.push_back(x);
            else *it = x;
        }
        return (int)tails.size();
    }
};
