// Union-find over all cells with path compression in two passes.
class Solution {
    private int[] parent;
    private int islands;

    public int countIslands(int[][] grid) {
        int rows = grid.length, cols = grid[0].length;
        parent = new int[rows * cols];
        for (int i = 0; i < parent.length; i++) parent[i] = i;
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < cols; c++) {
                if (grid[r][c] == 0) continue;
                islands++;
                if (r > 0 && grid[r - 1][c] == 1) join((r - 1) * cols + c, r * cols + c);
                if (c > 0 && grid[r][c - 1] == 1) join(r * cols + c - 1, r * cols + c);
            }
        }
        return islands;
    }

    private void join(int a, int b) {
        a = find(a);
        b = find(b);
        if (a != b) {
            parent[b] = a;
            islands--;
        }
    }

    private int find(int a) {
        int top = a;
        while (parent[top] != top) top = parent[top];
        while (parent[a] != top) {
            int next = parent[a];
            parent[a] = top;
            a = next;
        }
        return top;
    }
}
