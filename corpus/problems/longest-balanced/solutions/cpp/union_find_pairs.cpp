// Union-find over positions: a closed pair joins its two ends with what lies inside and before it.
class Solution {
    vector<int> up, weight;
    int root(int x) {
        while (up[x] != x) {
            up[x] = up[up[x]];
            x = up[x];
        }
        return x;
    }
    void join(int a, int b) {
        a = root(a);
        b = root(b);
        if (a == b) return;
        if (weight[a] < weight[b]) swap(a, b);
        up[b] = a;
        weight[a] += weight[b];
    }

public:
    int longestBalanced(string s) {
        int n = s.size(), best = 0;
        up.resize(n);
        weight.assign(n, 1);
        iota(up.begin(), up.end(), 0);
        vector<char> matched(n, 0);
        vector<int> open;
        for (int j = 0; j < n; ++j) {
            if (s[j] == '(') {
                open.push_back(j);
            } else if (!open.empty()) {
                int i = open.back();
                open.pop_back();
                matched[i] = matched[j] = 1;
                join(i, i + 1);
                join(j - 1, j);
                if (i > 0 && matched[i - 1]) join(i - 1, i);
                best = max(best, weight[root(j)]);
            }
        }
        return best;
    }
};
