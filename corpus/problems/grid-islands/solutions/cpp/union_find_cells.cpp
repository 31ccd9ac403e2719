// Union-find over all cells; negative entries hold the size of a set.
class Solution {
    vector<int> link;
    int find(int a) {
        while (link[a] >= 0) {
            int up = link[a];
            if (link[up] >= 0) link[a] = link[up];
            a = up;
        }
        return a;
    }
    bool join(int a, int b) {
        a = find(a);
        b = find(b);
        if (a == b) return false;
        if (link[a] > link[b]) swap(a, b);
        link[a] += link[b];
        link[b] = a;
        return true;
    }

public:
    int countIslands(vector<vector<int>>& grid) {
        int rows = grid.size(), cols = grid[0].size(), islands = 0;
        link.assign(rows * cols, -1);
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < cols; ++c) {
                if (!grid[r][c]) continue;
                ++islands;
                int id = r * cols + c;
                if (r > 0 && grid[r - 1][c]) islands -= join(id - cols, id);
                if (c > 0 && grid[r][c - 1]) islands -= join(id - 1, id);
            }
        }
        return islands;
    }
};
