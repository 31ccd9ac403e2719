// The largest free task first, from a PriorityQueue; followers in linked edges.
import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        StringTokenizer st = new StringTokenizer(in.readLine());
        int n = Integer.parseInt(st.nextToken());
        int m = Integer.parseInt(st.nextToken());
        int[] head = new int[n + 1], next = new int[m + 1], to = new int[m + 1], need = new int[n + 1];
        for (int e = 1; e <= m; e++) {
            st = new StringTokenizer(in.readLine());
            int a = Integer.parseInt(st.nextToken());
            to[e] = Integer.parseInt(st.nextToken());
            next[e] = head[a];
            head[a] = e;
            need[to[e]]++;
        }
        PriorityQueue<Integer> heap = new PriorityQueue<>(Comparator.reverseOrder());
        for (int v = 1; v <= n; v++) if (need[v] == 0) heap.add(v);
        StringJoiner order = new StringJoiner(" ");
        int count = 0;
        while (!heap.isEmpty()) {
            int v = heap.poll();
            order.add(Integer.toString(v));
            count++;
            for (int e = head[v]; e != 0; e = next[e]) if (--need[to[e]] == 0) heap.add(to[e]);
        }
        System.out.println(count < n ? "IMPOSSIBLE" : order.toString());
    }
}
