// Follows each shore with the land to the right and counts those that turn right in total.
class Solution {
    public int countIslands(int[][] grid) {
        int rows = grid.length, cols = grid[0].length, islands = 0;
        boolean[][] land = new boolean[rows + 2][cols + 2];
        boolean[][] done = new boolean[rows + 2][cols + 2];
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < cols; c++) land[r + 1][c + 1] = grid[r][c] == 1;
        }
        int[] dr = {0, 1, 0, -1}, dc = {1, 0, -1, 0};
        for (int r = 1; r <= rows; r++) {
            for (int c = 1; c <= cols; c++) {
                if (!land[r][c] || land[r - 1][c] || done[r][c]) continue;
                int y = r, x = c, d = 0, turns = 0;
                do {
                    if (d == 0) done[y][x] = true;
                    int fy = y + dr[d], fx = x + dc[d], left = (d + 3) % 4;
                    if (!land[fy][fx]) {
                        d = (d + 1) % 4;
                        turns++;
                    } else if (land[fy + dr[left]][fx + dc[left]]) {
                        y = fy + dr[left];
                        x = fx + dc[left];
                        d = left;
                        turns--;
                    } else {
                        y = fy;
                        x = fx;
                    }
                } while (y != r || x != c || d != 0);
                if (turns > 0) islands++;
            }
        }
        return islands;
    }
}
