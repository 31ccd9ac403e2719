// Ranks from a sorted copy, prefix maxima in a Fenwick tree.
class Solution {
public:
    int longestRising(vector<int>& nums) {
        vector<int> values(nums);
        sort(values.begin(), values.end());
        values.erase(unique(values.begin(), values.end()), values.end());
        int m = values.size(), answer = 0;
        vector<int> tree(m + 1, 0);
        for (int x : nums) {
            int r = lower_bound(values.begin(), values.end(), x) - values.begin();
            int best = 0;
            for (int i = r; i > 0; i &= i - 1) best = max(best, tree[i]);
            ++best;
            for (int i = r + 1; i <= m; i += i & -i) tree[i] = max(tree[i], best);
            answer = max(answer, best);
        }
        return answer;
    }
};
