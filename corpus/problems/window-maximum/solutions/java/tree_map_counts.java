// TreeMap from value to its number of copies in the window.
import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedInputStream(System.in));
        in.nextToken();
        int n = (int) in.nval;
        in.nextToken();
        int k = (int) in.nval;
        int[] a = new int[n];
        TreeMap<Integer, Integer> count = new TreeMap<>();
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < n; i++) {
            in.nextToken();
            a[i] = (int) in.nval;
            count.merge(a[i], 1, Integer::sum);
            if (i >= k) {
                int old = a[i - k];
                int c = count.get(old);
                if (c == 1) count.remove(old);
                else count.put(old, c - 1);
            }
            if (i >= k - 1) out.append(count.lastKey()).append(' ');
        }
        System.out.println(out.toString().trim());
    }
}
