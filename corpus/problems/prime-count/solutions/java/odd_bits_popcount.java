// One bit per odd number, a running count per long.
import java.io.DataInputStream;
import java.io.IOException;
import java.io.PrintStream;

public class Main {
    static final int HALF = 1000000;
    static final long[] bits = new long[HALF / 64 + 1];
    static final int[] rank = new int[HALF / 64 + 2];
    static byte[] data;
    static int at = 0;

    static int next() {
        while (data[at] < '0') at++;
        int v = 0;
        while (at < data.length && data[at] >= '0') v = 10 * v + data[at++] - '0';
        return v;
    }

    static int pi(int x) {
        if (x < 2) return 0;
        int e = (x + 1) >> 1;
        return 1 + rank[e >> 6] + Long.bitCount(bits[e >> 6] & ((1L << e) - 1));
    }

    public static void main(String[] args) throws IOException {
        data = System.in.readAllBytes();
        java.util.Arrays.fill(bits, -1L);
        bits[0] ^= 1;
        for (int i = 1; 2 * i * (i + 1) < HALF; i++) {
            if ((bits[i >> 6] >>> i & 1) == 0) continue;
            for (int j = 2 * i * (i + 1); j < HALF; j += 2 * i + 1) bits[j >> 6] &= ~(1L << j);
        }
        for (int w = 0; w < bits.length; w++) rank[w + 1] = rank[w] + Long.bitCount(bits[w]);
        int q = next();
        StringBuilder sb = new StringBuilder();
        for (int i = 0; i < q; i++) {
            int l = next();
            sb.append(pi(next()) - pi(l - 1)).append('\n');
        }
        System.out.print(sb);
    }
}
