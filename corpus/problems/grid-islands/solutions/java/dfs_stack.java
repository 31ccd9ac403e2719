// Flood fill on a flat copy with a frame of water and an int array as the stack.
class Solution {
    public int countIslands(int[][] grid) {
        int width = grid[0].length + 1;
        byte[] land = new byte[(grid.length + 2) * width + 1];
        for (int r = 0; r < grid.length; r++) {
            for (int c = 0; c + 1 < width; c++) land[(r + 1) * width + c + 1] = (byte) grid[r][c];
        }
        int[] stack = new int[land.length];
        int[] step = {1, width, -1, -width};
        int islands = 0;
        for (int start = 0; start < land.length; start++) {
            if (land[start] == 0) continue;
            islands++;
            int size = 0;
            stack[size++] = start;
            land[start] = 0;
            while (size > 0) {
                int p = stack[--size];
                for (int s : step) {
                    if (land[p + s] == 1) {
                        land[p + s] = 0;
                        stack[size++] = p + s;
                    }
                }
            }
        }
        return islands;
    }
}
