// Runs of land per row; overlapping runs of neighbouring rows are joined.
class Solution {
    struct Run { int from, to, id; };
    vector<int> parent;
    int find(int a) { return parent[a] == a ? a : parent[a] = find(parent[a]); }

public:
    int countIslands(vector<vector<int>>& grid) {
        int cols = grid[0].size(), islands = 0;
        vector<Run> above, runs;
        for (const auto& row : grid) {
            runs.clear();
            for (int c = 0; c < cols; ++c) {
                if (!row[c]) continue;
                int from = c;
                while (c < cols && row[c]) ++c;
                int id = parent.size();
                parent.push_back(id);
                runs.push_back({from, c, id});
            }
            islands += runs.size();
            size_t i = 0, j = 0;
            while (i < above.size() && j < runs.size()) {
                const Run &a = above[i], &b = runs[j];
                if (a.from < b.to && b.from < a.to) {
                    int x = find(a.id), y = find(b.id);
                    if (x != y) {
                        parent[max(x, y)] = min(x, y);
                        --islands;
                    }
                }
                if (a.to < b.to) ++i; else ++j;
            }
            above.swap(runs);
        }
        return islands;
    }
};
