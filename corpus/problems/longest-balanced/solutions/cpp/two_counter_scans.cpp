// Constant memory: one scan from each side, counters only.
class Solution {
    template <class It>
    static int scan(It from, It to, char opening) {
        int depth = 0, pairs = 0, best = 0;
        for (; from != to; ++from) {
            if (*from == opening) {
                ++depth;
            } else if (depth == 0) {
                pairs = 0;
            } else {
                ++pairs;
                if (--depth == 0) best = max(best, pairs);
            }
        }
        return 2 * best;
    }

public:
    int longestBalanced(string s) {
        return max(scan(s.begin(), s.end(), '('), scan(s.rbegin(), s.rend(), ')'));
    }
};
