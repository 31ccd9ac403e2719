// Each round every land cell takes the least label around it in the previous round.
class Solution {
public:
    int countIslands(vector<vector<int>>& grid) {
        int rows = grid.size(), cols = grid[0].size();
        vector<vector<int>> label(rows, vector<int>(cols, INT_MAX));
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < cols; ++c)
                if (grid[r][c]) label[r][c] = r * cols + c;
        bool changed = true;
        while (changed) {
            changed = false;
            vector<vector<int>> fresh = label;
            for (int r = 0; r < rows; ++r) {
                for (int c = 0; c < cols; ++c) {
                    if (!grid[r][c]) continue;
                    int least = label[r][c];
                    if (r > 0) least = min(least, label[r - 1][c]);
                    if (c > 0) least = min(least, label[r][c - 1]);
                    if (r + 1 < rows) least = min(least, label[r + 1][c]);
                    if (c + 1 < cols) least = min(least, label[r][c + 1]);
                    if (least != label[r][c]) {
                        fresh[r][c] = least;
                        changed = true;
                    }
                }
            }
            label.swap(fresh);
        }
        int islands = 0;
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < cols; ++c) islands += grid[r][c] && label[r][c] == r * cols + c;
        return islands;
    }
};
