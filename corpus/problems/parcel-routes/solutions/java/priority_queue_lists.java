// Dijkstra with java.util.PriorityQueue of small arrays over lists of roads, outdated entries skipped.
import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        StringTokenizer line = new StringTokenizer(in.readLine());
        int n = Integer.parseInt(line.nextToken());
        int m = Integer.parseInt(line.nextToken());
        List<List<int[]>> roads = new ArrayList<>();
        for (int v = 0; v <= n; v++) roads.add(new ArrayList<>());
        for (int i = 0; i < m; i++) {
            line = new StringTokenizer(in.readLine());
            int a = Integer.parseInt(line.nextToken());
            int b = Integer.parseInt(line.nextToken());
            int w = Integer.parseInt(line.nextToken());
            roads.get(a).add(new int[] {b, w});
        }
        long[] dist = new long[n + 1];
        Arrays.fill(dist, Long.MAX_VALUE);
        dist[1] = 0;
        PriorityQueue<long[]> queue = new PriorityQueue<>((x, y) -> Long.compare(x[0], y[0]));
        queue.add(new long[] {0, 1});
        while (!queue.isEmpty()) {
            long[] top = queue.poll();
            int v = (int) top[1];
            if (top[0] > dist[v]) continue;
            for (int[] road : roads.get(v)) {
                long t = top[0] + road[1];
                if (t < dist[road[0]]) {
                    dist[road[0]] = t;
                    queue.add(new long[] {t, road[0]});
                }
            }
        }
        StringBuilder out = new StringBuilder();
        for (int v = 1; v <= n; v++) {
            if (v > 1) out.append(' ');
            out.append(dist[v] == Long.MAX_VALUE ? -1 : dist[v]);
        }
        System.out.println(out);
    }
}
