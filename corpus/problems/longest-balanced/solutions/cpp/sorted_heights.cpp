// Sort prefix positions by (height, position); runs that always leave upwards are balanced.
class Solution {
public:
    int longestBalanced(string s) {
        int n = s.size();
        vector<pair<int, int>> at(n + 1);
        int h = 0;
        at[0] = {0, 0};
        for (int i = 0; i < n; ++i) {
            h += s[i] == '(' ? 1 : -1;
            at[i + 1] = {h, i + 1};
        }
        sort(at.begin(), at.end());
        int best = 0, start = at[0].second;
        for (int k = 1; k <= n; ++k) {
            int before = at[k - 1].second;
            if (at[k].first == at[k - 1].first && s[before] == '(')
                best = max(best, at[k].second - start);
            else
                start = at[k].second;
        }
        return best;
    }
};
