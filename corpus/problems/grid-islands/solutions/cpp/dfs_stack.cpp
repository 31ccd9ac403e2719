// Flood fill with an explicit stack, sinking cells in place.
class Solution {
public:
    int countIslands(vector<vector<int>>& grid) {
        int rows = grid.size(), cols = grid[0].size(), islands = 0;
        vector<int> todo;
        auto visit = [&](int r, int c) {
            if (r < 0 || c < 0 || r >= rows || c >= cols || !grid[r][c]) return;
            grid[r][c] = 0;
            todo.push_back(r * cols + c);
        };
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < cols; ++c) {
                if (!grid[r][c]) continue;
                ++islands;
                visit(r, c);
                while (!todo.empty()) {
                    int y = todo.back() / cols, x = todo.back() % cols;
                    todo.pop_back();
                    visit(y + 1, x);
                    visit(y - 1, x);
                    visit(y, x + 1);
                    visit(y, x - 1);
                }
            }
        }
        return islands;
    }
};
