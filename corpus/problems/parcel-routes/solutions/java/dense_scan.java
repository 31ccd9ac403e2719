// Dijkstra without a queue: a linear scan for the nearest open node in every round.
import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        String[] first = in.readLine().split(" ");
        int n = Integer.parseInt(first[0]);
        int m = Integer.parseInt(first[1]);
        ArrayList<Integer>[] targets = new ArrayList[n];
        ArrayList<Long>[] lengths = new ArrayList[n];
        for (int v = 0; v < n; v++) {
            targets[v] = new ArrayList<>();
            lengths[v] = new ArrayList<>();
        }
        for (int i = 0; i < m; i++) {
            String[] road = in.readLine().split(" ");
            int a = Integer.parseInt(road[0]) - 1;
            targets[a].add(Integer.parseInt(road[1]) - 1);
            lengths[a].add(Long.parseLong(road[2]));
        }
        long infinity = Long.MAX_VALUE;
        long[] open = new long[n];
        long[] dist = new long[n];
        Arrays.fill(open, infinity);
        Arrays.fill(dist, -1);
        open[0] = 0;
        while (true) {
            int v = nearest(open);
            long d = open[v];
            if (d == infinity) break;
            open[v] = infinity;
            dist[v] = d;
            for (int k = 0; k < targets[v].size(); k++) {
                int u = targets[v].get(k);
                if (dist[u] < 0) open[u] = Math.min(open[u], d + lengths[v].get(k));
            }
        }
        StringBuilder out = new StringBuilder();
        for (int v = 0; v < n; v++) out.append(v > 0 ? " " : "").append(dist[v]);
        System.out.println(out);
    }

    static int nearest(long[] open) {
        int best = 0;
        long least = open[0];
        for (int u = 1; u < open.length; u++) {
            if (open[u] < least) {
                least = open[u];
                best = u;
            }
        }
        return best;
    }
}
