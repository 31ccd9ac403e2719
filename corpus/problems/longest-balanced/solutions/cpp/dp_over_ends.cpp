// ends[i]: longest balanced substring that ends with s[i].
class Solution {
public:
    int longestBalanced(string s) {
        int n = s.size(), best = 0;
        vector<int> ends(n + 1, 0);  // shifted by one: ends[0] is before the string
        for (int i = 1; i < n; ++i) {
            if (s[i] != ')') continue;
            int j = i - ends[i] - 1;
            if (j < 0 || s[j] != '(') continue;
            ends[i + 1] = ends[i] + 2 + ends[j];
            best = max(best, ends[i + 1]);
        }
        return best;
    }
};
