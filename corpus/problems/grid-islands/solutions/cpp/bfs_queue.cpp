// Breadth-first search over a queue of coordinate pairs with a table of seen cells.
class Solution {
public:
    int countIslands(vector<vector<int>>& grid) {
        int rows = grid.size(), cols = grid[0].size(), islands = 0;
        vector<vector<bool>> seen(rows, vector<bool>(cols, false));
        const int dr[] = {0, 1, 0, -1}, dc[] = {1, 0, -1, 0};
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < cols; ++c) {
                if (grid[r][c] == 0 || seen[r][c]) continue;
                ++islands;
                seen[r][c] = true;
                queue<pair<int, int>> q;
                q.push({r, c});
                while (!q.empty()) {
                    auto [y, x] = q.front();
                    q.pop();
                    for (int d = 0; d < 4; ++d) {
                        int ny = y + dr[d], nx = x + dc[d];
                        if (ny < 0 || nx < 0 || ny >= rows || nx >= cols) continue;
                        if (grid[ny][nx] == 0 || seen[ny][nx]) continue;
                        seen[ny][nx] = true;
                        q.push({ny, nx});
                    }
                }
            }
        }
        return islands;
    }
};
