// The set of tails is a three-level bitset over ranks; the successor of a rank is found
// with a few word operations.
class Solution {
    vector<uint64_t> level[3];

    void add(int i) {
        for (auto& words : level) {
            words[i >> 6] |= 1ull << (i & 63);
            i >>= 6;
        }
    }

    void remove(int i) {
        for (auto& words : level) {
            words[i >> 6] &= ~(1ull << (i & 63));
            if (words[i >> 6]) return;
            i >>= 6;
        }
    }

    int successor(int i) const {
        for (int k = 0; k < 3; ++k) {
            if ((size_t)(i >> 6) >= level[k].size()) return -1;
            uint64_t rest = level[k][i >> 6] >> (i & 63);
            if (rest) {
                i += __builtin_ctzll(rest);
                for (int d = k - 1; d >= 0; --d) i = (i << 6) + __builtin_ctzll(level[d][i]);
                return i;
            }
            i = (i >> 6) + 1;
        }
        return -1;
    }

public:
    int longestRising(vector<int>& nums) {
        vector<int> values(nums);
        sort(values.begin(), values.end());
        values.erase(unique(values.begin(), values.end()), values.end());
        size_t words = values.size();
        for (auto& l : level) l.assign(words = words / 64 + 1, 0);
        int size = 0;
        for (int x : nums) {
            int r = lower_bound(values.begin(), values.end(), x) - values.begin();
            int next = successor(r);
            if (next == r) continue;
            if (next < 0) ++size;
            else remove(next);
            add(r);
        }
        return size;
    }
};
