// Kahn's algorithm over linked edges.
import java.io.*;

public class Main {
    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedInputStream(System.in));
        in.nextToken();
        int n = (int) in.nval;
        in.nextToken();
        int m = (int) in.nval;
        int[] head = new int[n + 1], next = new int[m + 1], to = new int[m + 1], need = new int[n + 1];
        for (int e = 1; e <= m; e++) {
            in.nextToken();
            int a = (int) in.nval;
            in.nextToken();
            to[e] = (int) in.nval;
            next[e] = head[a];
            head[a] = e;
            need[to[e]]++;
        }
        int[] queue = new int[n];
        int size = 0;
        for (int v = 1; v <= n; v++) if (need[v] == 0) queue[size++] = v;
        if (size == 0) {
            System.out.println("IMPOSSIBLE");
            return;
        }
        StringBuilder sb = new StringBuilder();
        for (int i = 0; i < size; i++) {
            sb.append(i > 0 ? " " : "").append(queue[i]);
            for (int e = head[queue[i]]; e != 0; e = next[e]) if (--need[to[e]] == 0) queue[size++] = to[e];
        }
        System.out.println(sb);
    }
}
