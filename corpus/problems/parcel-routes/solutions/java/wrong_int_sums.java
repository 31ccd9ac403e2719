// Dijkstra with int distances.
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
            roads.get(a).add(new int[] {b, Integer.parseInt(line.nextToken())});
        }
        int[] dist = new int[n + 1];
        boolean[] closed = new boolean[n + 1];
        Arrays.fill(dist, Integer.MAX_VALUE);
        dist[1] = 0;
        PriorityQueue<int[]> queue = new PriorityQueue<>(Comparator.comparingInt(x -> x[0]));
        queue.add(new int[] {0, 1});
        while (!queue.isEmpty()) {
            int v = queue.poll()[1];
            if (closed[v]) continue;
            closed[v] = true;
            for (int[] road : roads.get(v)) {
                int t = dist[v] + road[1];
                if (!closed[road[0]] && t < dist[road[0]]) {
                    dist[road[0]] = t;
                    queue.add(new int[] {t, road[0]});
                }
            }
        }
        StringBuilder out = new StringBuilder();
        for (int v = 1; v <= n; v++) {
            if (v > 1) out.append(' ');
            out.append(dist[v] == Integer.MAX_VALUE ? -1 : dist[v]);
        }
        System.out.println(out);
    }
}
