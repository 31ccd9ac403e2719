// Depth-first search with a hand-made stack and an edge cursor per task.
import java.io.*;
import java.util.Arrays;

public class Main {
    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedReader(new InputStreamReader(System.in), 1 << 16));
        in.nextToken();
        int n = (int) in.nval;
        in.nextToken();
        int m = (int) in.nval;
        int[][] after = new int[n + 1][0];
        int[] size = new int[n + 1];
        for (int i = 0; i < m; i++) {
            in.nextToken();
            int a = (int) in.nval;
            in.nextToken();
            if (size[a] == after[a].length) after[a] = Arrays.copyOf(after[a], Math.max(2, 2 * size[a]));
            after[a][size[a]++] = (int) in.nval;
        }
        byte[] state = new byte[n + 1];
        int[] path = new int[n + 1], order = new int[n];
        int slot = n;
        for (int root = 1; root <= n; root++) {
            if (state[root] != 0) continue;
            int depth = 0;
            path[depth] = root;
            state[root] = 1;
            while (depth >= 0) {
                int v = path[depth];
                if (size[v] == 0) {
                    state[v] = 2;
                    order[--slot] = v;
                    depth--;
                    continue;
                }
                int w = after[v][--size[v]];
                if (state[w] == 1) {
                    System.out.println("IMPOSSIBLE");
                    return;
                }
                if (state[w] == 0) {
                    state[w] = 1;
                    path[++depth] = w;
                }
            }
        }
        PrintWriter out = new PrintWriter(new BufferedWriter(new OutputStreamWriter(System.out)));
        for (int i = 0; i < n; i++) {
            if (i > 0) out.print(' ');
            out.print(order[i]);
        }
        out.println();
        out.flush();
    }
}
