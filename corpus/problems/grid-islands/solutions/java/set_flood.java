// A hash set of all land cells; every island is drained out of it.
class Solution {
    public int countIslands(int[][] grid) {
        int width = grid[0].length + 1;
        Set<Integer> land = new LinkedHashSet<>();
        for (int r = 0; r < grid.length; r++) {
            for (int c = 0; c < grid[r].length; c++) {
                if (grid[r][c] == 1) land.add(r * width + c);
            }
        }
        int islands = 0;
        while (!land.isEmpty()) {
            islands++;
            Deque<Integer> open = new ArrayDeque<>();
            Integer first = land.iterator().next();
            land.remove(first);
            open.push(first);
            while (!open.isEmpty()) {
                int p = open.pop();
                for (int q : new int[] {p + 1, p - 1, p + width, p - width}) {
                    if (land.remove(q)) open.push(q);
                }
            }
        }
        return islands;
    }
}
