// One pass with a hash map of the values seen so far.
class Solution {
public:
    long long countPairs(vector<int>& nums, long long target) {
        unordered_map<long long, int> seen;
        long long result = 0;
        for (int x : nums) {
            auto it = seen.find(target - x);
            if (it != seen.end()) result += it->second;
            seen[x]++;
        }
        return result;
    }
};
