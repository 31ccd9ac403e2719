// Keeps disjoint balanced intervals in an ordered map (end -> start) and merges them as pairs close.
class Solution {
public:
    int longestBalanced(string s) {
        map<int, int> blocks;
        list<int> open;
        int best = 0;
        for (int j = 0; j < (int)s.size(); ++j) {
            if (s[j] == '(') {
                open.push_back(j);
                continue;
            }
            if (open.empty()) continue;
            int i = open.back();
            open.pop_back();
            if (j - 1 > i) blocks.erase(j - 1);  // the inside is swallowed
            int start = i;
            auto before = blocks.find(i - 1);
            if (before != blocks.end()) {
                start = before->second;
                blocks.erase(before);
            }
            blocks[j] = start;
            best = max(best, j - start + 1);
        }
        return best;
    }
};
