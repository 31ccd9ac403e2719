// Table over heights: where did the present stretch at this height or above begin?
class Solution {
public:
    int longestBalanced(string s) {
        int n = s.size(), h = n, best = 0;
        vector<int> first(2 * n + 2, -1);
        first[h] = 0;
        for (int p = 1; p <= n; ++p) {
            if (s[p - 1] == '(') {
                ++h;
                if (first[h] < 0) first[h] = p;
            } else {
                first[h] = -1;
                --h;
                if (first[h] < 0)
                    first[h] = p;
                else
                    best = max(best, p - first[h]);
            }
        }
        return best;
    }
};
