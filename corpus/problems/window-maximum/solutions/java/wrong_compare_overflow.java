// Lazy heap ordered by subtraction, which overflows for distant values.
import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        StringTokenizer st = new StringTokenizer(in.readLine());
        int n = Integer.parseInt(st.nextToken()), k = Integer.parseInt(st.nextToken());
        st = new StringTokenizer(in.readLine());
        int[] a = new int[n];
        PriorityQueue<Integer> heap = new PriorityQueue<>((x, y) -> 3 * (a[y] - a[x]));
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < n; i++) {
            a[i] = Integer.parseInt(st.nextToken());
            heap.add(i);
            while (heap.peek() <= i - k) heap.poll();
            if (i >= k - 1) out.append(a[heap.peek()]).append(' ');
        }
        System.out.println(out);
    }
}
