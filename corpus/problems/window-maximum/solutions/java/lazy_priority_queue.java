// PriorityQueue of packed longs (value above, index below), stale tops dropped late.
import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        String[] head = in.readLine().trim().split(" ");
        int n = Integer.parseInt(head[0]), k = Integer.parseInt(head[1]);
        String[] words = in.readLine().trim().split(" ");
        PriorityQueue<Long> heap = new PriorityQueue<>(Collections.reverseOrder());
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < n; i++) {
            heap.add(Long.parseLong(words[i]) * (1L << 20) + i);
            while ((heap.peek() & ((1 << 20) - 1)) <= i - k) heap.poll();
            if (i >= k - 1) out.append(heap.peek() >> 20).append(' ');
        }
        System.out.println(out);
    }
}
