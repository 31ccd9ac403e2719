// Positions in value order are split into an early and a late half; lengths of the early
// half are final before they are swept, by value, into the late half.
class Solution {
    vector<int> best;

    void solve(const vector<int>& nums, const vector<int>& order, int lo, int hi) {
        if (hi - lo < 2) return;
        int mid = lo + (hi - lo) / 2;
        vector<int> early, late;
        for (int i : order) (i < mid ? early : late).push_back(i);
        solve(nums, early, lo, mid);
        size_t k = 0;
        int carried = 0;
        for (int i : late) {
            for (; k < early.size() && nums[early[k]] < nums[i]; ++k) carried = max(carried, best[early[k]]);
            best[i] = max(best[i], carried + 1);
        }
        solve(nums, late, mid, hi);
    }

public:
    int longestRising(vector<int>& nums) {
        int n = nums.size();
        best.assign(n, 1);
        vector<int> order(n);
        iota(order.begin(), order.end(), 0);
        sort(order.begin(), order.end(), [&](int a, int b) { return nums[a] < nums[b]; });
        solve(nums, order, 0, n);
        return *max_element(best.begin(), best.end());
    }
};
