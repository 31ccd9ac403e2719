// Sort a copy as 64-bit values, then equal_range for every element; pairs are found from both sides.
class Solution {
public:
    long long countPairs(vector<int>& nums, long long target) {
        vector<long long> sorted(nums.begin(), nums.end());
        stable_sort(sorted.begin(), sorted.end());
        long long ordered = 0;
        for (long long x : sorted) {
            auto range = equal_range(sorted.begin(), sorted.end(), target - x);
            ordered += range.second - range.first;
            if (2 * x == target) ordered--;
        }
        return ordered / 2;
    }
};
