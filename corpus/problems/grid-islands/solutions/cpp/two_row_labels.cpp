// Keeps labels of two rows only; joined labels are recorded in a growing list.
class Solution {
public:
    int countIslands(vector<vector<int>>& grid) {
        int cols = grid[0].size(), islands = 0;
        vector<int> above(cols, -1), now(cols, -1), parent;
        auto top = [&](int a) {
            while (parent[a] != a) a = parent[a] = parent[parent[a]];
            return a;
        };
        for (auto& row : grid) {
            for (int c = 0; c < cols; ++c) {
                if (!row[c]) {
                    now[c] = -1;
                    continue;
                }
                int left = c ? now[c - 1] : -1, up = above[c];
                if (left < 0 && up < 0) {
                    now[c] = parent.size();
                    parent.push_back(now[c]);
                    ++islands;
                } else if (left < 0 || up < 0) {
                    now[c] = max(left, up);
                } else {
                    int a = top(left), b = top(up);
                    if (a != b) {
                        parent[max(a, b)] = min(a, b);
                        --islands;
                    }
                    now[c] = min(a, b);
                }
            }
            swap(above, now);
        }
        return islands;
    }
};
