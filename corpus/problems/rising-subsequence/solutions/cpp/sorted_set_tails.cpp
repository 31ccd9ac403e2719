// The set holds the tails; every new number replaces its successor in the set.
class Solution {
public:
    int longestRising(vector<int>& nums) {
        set<int> tails;
        for (int x : nums) {
            auto next = tails.lower_bound(x);
            if (next != tails.end()) {
                if (*next == x) continue;
                next = tails.erase(next);
            }
            tails.insert(next, x);
        }
        return (int)tails.size();
    }
};
