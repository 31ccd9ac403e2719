// For every target a search from node 1 that scans all nodes for the nearest open one, again and again.
import java.io.*;
import java.util.*;

public class Main {
    static int n;
    static List<List<int[]>> roads = new ArrayList<>();

    static long route(int target) {
        long[] dist = new long[n + 1];
        boolean[] closed = new boolean[n + 1];
        Arrays.fill(dist, Long.MAX_VALUE);
        dist[1] = 0;
        while (true) {
            int v = 0;
            for (int u = 1; u <= n; u++)
                if (!closed[u] && dist[u] < (v == 0 ? Long.MAX_VALUE : dist[v])) v = u;
            if (v == 0) return -1;
            if (v == target) return dist[v];
            closed[v] = true;
            for (int[] road : roads.get(v)) dist[road[0]] = Math.min(dist[road[0]], dist[v] + road[1]);
        }
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        StringTokenizer line = new StringTokenizer(in.readLine());
        n = Integer.parseInt(line.nextToken());
        int m = Integer.parseInt(line.nextToken());
        for (int v = 0; v <= n; v++) roads.add(new ArrayList<>());
        for (int i = 0; i < m; i++) {
            line = new StringTokenizer(in.readLine());
            int a = Integer.parseInt(line.nextToken());
            int b = Integer.parseInt(line.nextToken());
            roads.get(a).add(new int[] {b, Integer.parseInt(line.nextToken())});
        }
        StringBuilder out = new StringBuilder();
        for (int v = 1; v <= n; v++) {
            if (v > 1) out.append(' ');
            out.append(route(v));
        }
        System.out.println(out);
    }
}
