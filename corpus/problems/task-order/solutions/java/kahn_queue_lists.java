// Kahn's algorithm with ArrayLists and an ArrayDeque.
import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedInputStream(System.in));
        in.nextToken();
        int n = (int) in.nval;
        in.nextToken();
        int m = (int) in.nval;
        List<List<Integer>> after = new ArrayList<>();
        for (int v = 0; v <= n; v++) after.add(new ArrayList<>());
        int[] need = new int[n + 1];
        for (int i = 0; i < m; i++) {
            in.nextToken();
            int a = (int) in.nval;
            in.nextToken();
            int b = (int) in.nval;
            after.get(a).add(b);
            need[b]++;
        }
        Deque<Integer> queue = new ArrayDeque<>();
        for (int v = 1; v <= n; v++) if (need[v] == 0) queue.add(v);
        StringBuilder sb = new StringBuilder();
        int count = 0;
        while (!queue.isEmpty()) {
            int v = queue.poll();
            if (count++ > 0) sb.append(' ');
            sb.append(v);
            for (int w : after.get(v)) if (--need[w] == 0) queue.add(w);
        }
        System.out.println(count == n ? sb : "IMPOSSIBLE");
    }
}
