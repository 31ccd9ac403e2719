// Falling sequence of boxed indices in ArrayDeque.
import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        StringTokenizer st = new StringTokenizer(in.readLine());
        int n = Integer.parseInt(st.nextToken()), k = Integer.parseInt(st.nextToken());
        st = new StringTokenizer(in.readLine());
        int[] a = new int[n];
        Deque<Integer> q = new ArrayDeque<>();
        PrintWriter out = new PrintWriter(new BufferedWriter(new OutputStreamWriter(System.out)));
        for (int i = 0; i < n; i++) {
            a[i] = Integer.parseInt(st.nextToken());
            while (!q.isEmpty() && a[q.peekLast()] <= a[i]) q.pollLast();
            q.addLast(i);
            if (q.peekFirst() <= i - k) q.pollFirst();
            if (i >= k - 1) {
                out.print(a[q.peekFirst()]);
                out.print(i + 1 == n ? '\n' : ' ');
            }
        }
        out.flush();
    }
}
