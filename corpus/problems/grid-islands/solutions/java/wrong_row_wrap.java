// Works on flat indices and forgets that the end of a row does not touch the next row.
class Solution {
    public int countIslands(int[][] grid) {
        int rows = grid.length, cols = grid[0].length, islands = 0;
        boolean[] seen = new boolean[rows * cols];
        ArrayDeque<Integer> queue = new ArrayDeque<>();
        for (int i = 0; i < rows * cols; i++) {
            if (seen[i] || grid[i / cols][i % cols] == 0) continue;
            islands++;
            seen[i] = true;
            queue.add(i);
            while (!queue.isEmpty()) {
                int p = queue.poll();
                for (int q : new int[] {p - 1, p + 1, p - cols, p + cols}) {
                    if (q < 0 || q >= rows * cols || seen[q] || grid[q / cols][q % cols] == 0) continue;
                    seen[q] = true;
                    queue.add(q);
                }
            }
        }
        return islands;
    }
}
