// Stack of indices; its bottom is the last position no answer can contain.
class Solution {
public:
    int longestBalanced(string s) {
        stack<int> open;
        open.push(-1);
        int best = 0;
        for (int i = 0; i < (int)s.size(); ++i) {
            if (s[i] == '(') {
                open.push(i);
                continue;
            }
            open.pop();
            if (open.empty())
                open.push(i);
            else
                best = max(best, i - open.top());
        }
        return best;
    }
};
