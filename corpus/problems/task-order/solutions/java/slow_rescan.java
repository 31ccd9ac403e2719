// Recounts the open prerequisites of all tasks for every task that is placed.
import java.io.*;
import java.util.Arrays;

public class Main {
    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedInputStream(System.in));
        in.nextToken();
        int n = (int) in.nval;
        in.nextToken();
        int m = (int) in.nval;
        int[] from = new int[m], to = new int[m];
        for (int i = 0; i < m; i++) {
            in.nextToken();
            from[i] = (int) in.nval;
            in.nextToken();
            to[i] = (int) in.nval;
        }
        boolean[] done = new boolean[n + 1];
        int[] waits = new int[n + 1];
        StringBuilder sb = new StringBuilder();
        for (int placed = 0; placed < n; placed++) {
            Arrays.fill(waits, 0);
            for (int i = 0; i < m; i++) if (!done[from[i]]) waits[to[i]]++;
            int v = 1;
            while (v <= n && (done[v] || waits[v] > 0)) v++;
            if (v > n) {
                System.out.println("IMPOSSIBLE");
                return;
            }
            done[v] = true;
            sb.append(placed > 0 ? " " : "").append(v);
        }
        System.out.println(sb);
    }
}
