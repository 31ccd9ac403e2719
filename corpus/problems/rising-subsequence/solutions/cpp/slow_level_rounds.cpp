// Round by round: which positions can be the last element of a rising subsequence of
// length L, given the positions that can end one of length L - 1?
class Solution {
public:
    int longestRising(vector<int>& nums) {
        int n = nums.size(), length = 1;
        vector<char> ends(n, 1), next(n);
        while (true) {
            bool any = false;
            for (int i = 0; i < n; ++i) {
                int sources = 0;
                for (int j = 0; j < i; ++j) {
                    if (ends[j] && nums[j] < nums[i]) ++sources;
                }
                next[i] = sources > 0;
                any |= sources > 0;
            }
            if (!any) return length;
            ++length;
            ends.swap(next);
        }
    }
};
