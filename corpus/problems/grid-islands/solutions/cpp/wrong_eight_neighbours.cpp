// Lets islands join across corners.
class Solution {
public:
    int countIslands(vector<vector<int>>& grid) {
        int rows = grid.size(), cols = grid[0].size(), islands = 0;
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < cols; ++c) {
                if (!grid[r][c]) continue;
                ++islands;
                grid[r][c] = 0;
                vector<pair<int, int>> todo{{r, c}};
                while (!todo.empty()) {
                    auto [y, x] = todo.back();
                    todo.pop_back();
                    for (int v = max(0, y - 1); v <= min(rows - 1, y + 1); ++v)
                        for (int u = max(0, x - 1); u <= min(cols - 1, x + 1); ++u)
                            if (grid[v][u]) {
                                grid[v][u] = 0;
                                todo.push_back({v, u});
                            }
                }
            }
        }
        return islands;
    }
};
