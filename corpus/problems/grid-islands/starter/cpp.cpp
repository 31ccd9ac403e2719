class Solution {
public:
    int countIslands(vector<vector<int>>& grid) {
        
    }
};
