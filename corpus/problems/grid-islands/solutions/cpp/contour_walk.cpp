// Walks every shore with the land to the right; a shore that turns right in total is the
// outer shore of an island, one that turns left belongs to a hole.
class Solution {
public:
    int countIslands(vector<vector<int>>& grid) {
        int rows = grid.size(), width = grid[0].size() + 2, islands = 0;
        vector<char> land((rows + 2) * width, 0), done(land.size(), 0);
        for (int r = 0; r < rows; ++r) copy(grid[r].begin(), grid[r].end(), land.begin() + (r + 1) * width + 1);
        const int step[] = {1, width, -1, -width};
        for (int start = width; start < (rows + 1) * width; ++start) {
            if (!land[start] || land[start - width] || done[start]) continue;
            int cell = start, d = 0, turns = 0;
            do {
                if (d == 0) done[cell] = 1;
                int front = cell + step[d], side = front + step[(d + 3) % 4];
                if (!land[front]) {
                    d = (d + 1) % 4;
                    ++turns;
                } else if (land[side]) {
                    cell = side;
                    d = (d + 3) % 4;
                    --turns;
                } else {
                    cell = front;
                }
            } while (cell != start || d != 0);
            islands += turns > 0;
        }
        return islands;
    }
};
