// All land cells in an ordered set; each island is drained out of it.
class Solution {
public:
    int countIslands(vector<vector<int>>& grid) {
        set<pair<int, int>> land;
        for (int r = 0; r < (int)grid.size(); ++r)
            for (int c = 0; c < (int)grid[r].size(); ++c)
                if (grid[r][c]) land.insert({r, c});
        int islands = 0;
        while (!land.empty()) {
            ++islands;
            list<pair<int, int>> wave{*land.begin()};
            land.erase(land.begin());
            for (; !wave.empty(); wave.pop_front()) {
                auto [r, c] = wave.front();
                for (auto next : {pair<int, int>{r + 1, c}, {r - 1, c}, {r, c + 1}, {r, c - 1}})
                    if (land.erase(next)) wave.push_back(next);
            }
        }
        return islands;
    }
};
