// Dijkstra with a hand-made heap of longs (distance and node packed) over compressed rows.
import java.io.*;
import java.util.*;

public class Main {
    static byte[] text;
    static int pos;

    static int number() {
        while (text[pos] < '0') pos++;
        int x = 0;
        while (pos < text.length && text[pos] >= '0') x = x * 10 + text[pos++] - '0';
        return x;
    }

    public static void main(String[] args) throws IOException {
        text = System.in.readAllBytes();
        int n = number(), m = number();
        int[] from = new int[m], to = new int[m], length = new int[m], start = new int[n + 2];
        for (int e = 0; e < m; e++) {
            from[e] = number();
            to[e] = number();
            length[e] = number();
            start[from[e]]++;
        }
        for (int v = 1; v <= n + 1; v++) start[v] += start[v - 1];
        int[] head = new int[m], weight = new int[m];
        for (int e = 0; e < m; e++) {
            int k = --start[from[e]];
            head[k] = to[e];
            weight[k] = length[e];
        }
        long[] dist = new long[n + 1];
        Arrays.fill(dist, -1);
        boolean[] closed = new boolean[n + 1];
        long[] heap = new long[m + 2];
        int held = 1;
        heap[1] = 1;
        dist[1] = 0;
        while (held > 0) {
            long top = heap[1];
            long tail = heap[held--];
            int i = 1;
            for (int c = 2; c <= held; c = 2 * i) {
                if (c < held && heap[c + 1] < heap[c]) c++;
                if (heap[c] >= tail) break;
                heap[i] = heap[c];
                i = c;
            }
            heap[i] = tail;
            int v = (int) (top & 16383);
            if (closed[v]) continue;
            closed[v] = true;
            for (int k = start[v]; k < start[v + 1]; k++) {
                int u = head[k];
                long t = dist[v] + weight[k];
                if (dist[u] >= 0 && dist[u] <= t) continue;
                dist[u] = t;
                long key = t << 14 | u;
                int j = ++held;
                while (j > 1 && heap[j >> 1] > key) {
                    heap[j] = heap[j >> 1];
                    j >>= 1;
                }
                heap[j] = key;
            }
        }
        StringBuilder out = new StringBuilder();
        for (int v = 1; v <= n; v++) out.append(dist[v]).append(v == n ? '\n' : ' ');
        System.out.print(out);
    }
}
