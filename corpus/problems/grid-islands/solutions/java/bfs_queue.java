// Breadth-first search with a linked list of coordinate arrays.
class Solution {
    private static final int[][] STEPS = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};

    public int countIslands(int[][] grid) {
        int rows = grid.length, cols = grid[0].length, islands = 0;
        boolean[][] seen = new boolean[rows][cols];
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < cols; c++) {
                if (grid[r][c] == 0 || seen[r][c]) continue;
                islands++;
                seen[r][c] = true;
                Queue<int[]> queue = new LinkedList<>();
                queue.add(new int[] {r, c});
                while (!queue.isEmpty()) {
                    int[] p = queue.poll();
                    for (int[] s : STEPS) {
                        int y = p[0] + s[0], x = p[1] + s[1];
                        if (y < 0 || x < 0 || y >= rows || x >= cols) continue;
                        if (grid[y][x] == 1 && !seen[y][x]) {
                            seen[y][x] = true;
                            queue.add(new int[] {y, x});
                        }
                    }
                }
            }
        }
        return islands;
    }
}
