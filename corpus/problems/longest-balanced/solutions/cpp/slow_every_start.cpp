// Walks from every start until the balance turns negative.
class Solution {
public:
    int longestBalanced(string s) {
        int n = s.size(), best = 0;
        for (int i = 0; i < n; ++i) {
            int depth = 0;
            for (int j = i; j < n; ++j) {
                depth += s[j] == '(' ? 1 : -1;
                if (depth < 0) break;
                if (depth == 0 && j - i + 1 > best) best = j - i + 1;
            }
        }
        return best;
    }
};
