// Primitive arrays in compressed rows, a stack of free tasks, own reader.
import java.io.IOException;

public class Main {
    static byte[] data;
    static int at = 0;

    static int next() {
        while (data[at] < '0') at++;
        int v = 0;
        while (at < data.length && data[at] >= '0') v = 10 * v + data[at++] - '0';
        return v;
    }

    public static void main(String[] args) throws IOException {
        data = System.in.readAllBytes();
        int n = next(), m = next();
        int[] src = new int[m], dst = new int[m], to = new int[m];
        int[] first = new int[n + 2], need = new int[n + 1];
        for (int i = 0; i < m; i++) {
            src[i] = next();
            dst[i] = next();
            first[src[i]]++;
            need[dst[i]]++;
        }
        for (int v = 1; v <= n + 1; v++) first[v] += first[v - 1];
        for (int i = 0; i < m; i++) to[--first[src[i]]] = dst[i];
        int[] stack = new int[n];
        int top = 0, count = 0;
        for (int v = 1; v <= n; v++) if (need[v] == 0) stack[top++] = v;
        StringBuilder sb = new StringBuilder(6 * n);
        while (top > 0) {
            int v = stack[--top];
            if (count++ > 0) sb.append(' ');
            sb.append(v);
            for (int e = first[v]; e < first[v + 1]; e++) if (--need[to[e]] == 0) stack[top++] = to[e];
        }
        System.out.println(count == n ? sb.toString() : "IMPOSSIBLE");
    }
}
