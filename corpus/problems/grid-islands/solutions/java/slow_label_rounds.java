// Labels move on by one cell per round; stops after a round without any change.
class Solution {
    public int countIslands(int[][] grid) {
        int rows = grid.length, cols = grid[0].length;
        int[][] label = new int[rows][cols], fresh = new int[rows][cols];
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < cols; c++) label[r][c] = grid[r][c] * (r * cols + c + 1);
        }
        boolean changed = true;
        while (changed) {
            changed = false;
            for (int r = 0; r < rows; r++) {
                for (int c = 0; c < cols; c++) {
                    int most = label[r][c];
                    if (most > 0) {
                        if (r > 0) most = Math.max(most, label[r - 1][c]);
                        if (r + 1 < rows) most = Math.max(most, label[r + 1][c]);
                        if (c > 0) most = Math.max(most, label[r][c - 1]);
                        if (c + 1 < cols) most = Math.max(most, label[r][c + 1]);
                        if (most != label[r][c]) changed = true;
                    }
                    fresh[r][c] = most;
                }
            }
            int[][] swap = label;
            label = fresh;
            fresh = swap;
        }
        int islands = 0;
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < cols; c++) {
                if (label[r][c] == r * cols + c + 1) islands++;
            }
        }
        return islands;
    }
}
