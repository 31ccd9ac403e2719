// Runs of land per row with union-find over the runs; needs the row above only.
class Solution {
    public int countIslands(int[][] grid) {
        int cols = grid[0].length, islands = 0, made = 0;
        int[] parent = new int[1024];
        int[] above = new int[3 * (cols / 2 + 1)], runs = new int[3 * (cols / 2 + 1)];
        int aboveEnd = 0;
        for (int[] row : grid) {
            int end = 0;
            for (int c = 0; c < cols; c++) {
                if (row[c] == 0) continue;
                runs[end] = c;
                while (c < cols && row[c] == 1) c++;
                runs[end + 1] = c;
                runs[end + 2] = made;
                end += 3;
                if (made == parent.length) parent = Arrays.copyOf(parent, 2 * made);
                parent[made] = made;
                made++;
                islands++;
            }
            for (int i = 0, j = 0; i < aboveEnd && j < end; ) {
                if (above[i] < runs[j + 1] && runs[j] < above[i + 1]) {
                    int a = find(parent, above[i + 2]), b = find(parent, runs[j + 2]);
                    if (a != b) {
                        parent[Math.max(a, b)] = Math.min(a, b);
                        islands--;
                    }
                }
                if (above[i + 1] < runs[j + 1]) i += 3;
                else j += 3;
            }
            int[] swap = above;
            above = runs;
            runs = swap;
            aboveEnd = end;
        }
        return islands;
    }

    private static int find(int[] parent, int a) {
        while (parent[a] != a) {
            parent[a] = parent[parent[a]];
            a = parent[a];
        }
        return a;
    }
}
