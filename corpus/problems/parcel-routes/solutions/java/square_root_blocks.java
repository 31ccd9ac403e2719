// Dijkstra with the tentative distances cut into blocks of about sqrt(n) nodes, the nearest node of each block cached.
import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedInputStream(System.in, 1 << 16));
        in.nextToken();
        int n = (int) in.nval;
        in.nextToken();
        int m = (int) in.nval;
        int[] first = new int[n], next = new int[m], to = new int[m], length = new int[m];
        Arrays.fill(first, -1);
        for (int e = 0; e < m; e++) {
            in.nextToken();
            int a = (int) in.nval - 1;
            in.nextToken();
            to[e] = (int) in.nval - 1;
            in.nextToken();
            length[e] = (int) in.nval;
            next[e] = first[a];
            first[a] = e;
        }
        int size = (int) Math.sqrt(n) + 1;
        int count = (n + size - 1) / size;
        long infinity = Long.MAX_VALUE;
        long[] open = new long[n], dist = new long[n];
        int[] nearest = new int[count];
        Arrays.fill(open, infinity);
        Arrays.fill(dist, -1);
        for (int k = 0; k < count; k++) nearest[k] = k * size;
        open[0] = 0;
        while (true) {
            int v = nearest[0];
            for (int k = 1; k < count; k++)
                if (open[nearest[k]] < open[v]) v = nearest[k];
            long d = open[v];
            if (d == infinity) break;
            dist[v] = d;
            open[v] = infinity;
            int block = v / size, end = Math.min(n, (block + 1) * size), best = block * size;
            for (int u = best + 1; u < end; u++)
                if (open[u] < open[best]) best = u;
            nearest[block] = best;
            for (int e = first[v]; e >= 0; e = next[e]) {
                int u = to[e];
                long t = d + length[e];
                if (dist[u] >= 0 || t >= open[u]) continue;
                open[u] = t;
                if (t < open[nearest[u / size]]) nearest[u / size] = u;
            }
        }
        PrintWriter out = new PrintWriter(new BufferedWriter(new OutputStreamWriter(System.out)));
        for (int v = 0; v < n; v++) {
            if (v > 0) out.print(' ');
            out.print(dist[v]);
        }
        out.println();
        out.flush();
    }
}
