// Segment tree of 2n ints, bottom-up queries.
import java.io.*;
import java.util.*;

public class Main {
    final int n;
    final int[] t;

    Main(int[] a) {
        n = a.length;
        t = new int[2 * n];
        System.arraycopy(a, 0, t, n, n);
        for (int i = n - 1; i > 0; i--) t[i] = Math.max(t[2 * i], t[2 * i + 1]);
    }

    int query(int l, int r) {
        int best = Integer.MIN_VALUE;
        for (l += n, r += n; l < r; l >>= 1, r >>= 1) {
            if ((l & 1) == 1) best = Math.max(best, t[l++]);
            if ((r & 1) == 1) best = Math.max(best, t[--r]);
        }
        return best;
    }

    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedReader(new InputStreamReader(System.in)));
        in.nextToken();
        int n = (int) in.nval;
        in.nextToken();
        int k = (int) in.nval;
        int[] a = new int[n];
        for (int i = 0; i < n; i++) {
            in.nextToken();
            a[i] = (int) in.nval;
        }
        Main tree = new Main(a);
        StringJoiner out = new StringJoiner(" ");
        for (int i = 0; i + k <= n; i++) out.add(Integer.toString(tree.query(i, i + k)));
        System.out.println(out);
    }
}
