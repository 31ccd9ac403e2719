// One pass with a hash map, the count in 32 bits.
class Solution {
public:
    long long countPairs(vector<int>& nums, long long target) {
        unordered_map<long long, int> seen;
        unsigned result = 0;
        for (int x : nums) {
            auto it = seen.find(target - x);
            if (it != seen.end()) result += it->second;
            seen[x]++;
        }
        return (int)result;
    }
};
