// BitSet sieve without prefix sums: sorted end points, one walk over the set bits.
import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedInputStream(System.in));
        in.nextToken();
        int q = (int) in.nval;
        long[] ends = new long[2 * q];
        int top = 1;
        for (int i = 0; i < q; i++) {
            in.nextToken();
            ends[2 * i] = ((long) in.nval - 1) << 20 | (2 * i);
            in.nextToken();
            int r = (int) in.nval;
            top = Math.max(top, r);
            ends[2 * i + 1] = (long) r << 20 | (2 * i + 1);
        }
        Arrays.sort(ends);
        BitSet prime = new BitSet(top + 1);
        prime.set(2, top + 1);
        for (int p = 2; p * p <= top; p = prime.nextSetBit(p + 1))
            for (int m = p * p; m <= top; m += p) prime.clear(m);
        int[] pi = new int[2 * q];
        int count = 0;
        int v = prime.nextSetBit(0);
        for (long e : ends) {
            int x = (int) (e >> 20);
            while (v >= 0 && v <= x) {
                count++;
                v = prime.nextSetBit(v + 1);
            }
            pi[(int) (e & ((1 << 20) - 1))] = count;
        }
        PrintWriter out = new PrintWriter(new BufferedOutputStream(System.out));
        for (int i = 0; i < q; i++) out.println(pi[2 * i + 1] - pi[2 * i]);
        out.flush();
    }
}
