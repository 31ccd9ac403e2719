// Dijkstra with a TreeSet as queue; a node leaves the set and comes back when its distance shrinks.
import java.io.*;
import java.util.*;

public class Main {
    static class Stop implements Comparable<Stop> {
        final int node;
        final Long dist;

        Stop(int node, Long dist) {
            this.node = node;
            this.dist = dist;
        }

        public int compareTo(Stop other) {
            int c = dist.compareTo(other.dist);
            return c != 0 ? c : Integer.compare(node, other.node);
        }
    }

    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedReader(new InputStreamReader(System.in)));
        in.nextToken();
        int n = (int) in.nval;
        in.nextToken();
        int m = (int) in.nval;
        Map<Integer, List<int[]>> roads = new HashMap<>();
        for (int i = 0; i < m; i++) {
            in.nextToken();
            int a = (int) in.nval;
            in.nextToken();
            int b = (int) in.nval;
            in.nextToken();
            int w = (int) in.nval;
            roads.computeIfAbsent(a, k -> new LinkedList<>()).add(new int[] {b, w});
        }
        Stop[] stops = new Stop[n + 1];
        TreeSet<Stop> open = new TreeSet<>();
        stops[1] = new Stop(1, 0L);
        open.add(stops[1]);
        while (!open.isEmpty()) {
            Stop here = open.pollFirst();
            for (int[] road : roads.getOrDefault(here.node, Collections.emptyList())) {
                long t = here.dist + road[1];
                Stop old = stops[road[0]];
                if (old != null && old.dist <= t) continue;
                if (old != null) open.remove(old);
                stops[road[0]] = new Stop(road[0], t);
                open.add(stops[road[0]]);
            }
        }
        StringJoiner out = new StringJoiner(" ");
        for (int v = 1; v <= n; v++) out.add(stops[v] == null ? "-1" : stops[v].dist.toString());
        System.out.println(out);
    }
}
