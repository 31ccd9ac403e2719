// s*p(s) = sum over k of d(k)*p(s-k), where d(k) is the sum of the coins that divide k.
import java.io.*;

public class Main {
    static final long MOD = 1000000007L;

    static long power(long b, long e) {
        long r = 1;
        for (; e > 0; e >>= 1, b = b * b % MOD) if ((e & 1) == 1) r = r * b % MOD;
        return r;
    }

    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new InputStreamReader(System.in));
        in.nextToken();
        int n = (int) in.nval;
        in.nextToken();
        int amount = (int) in.nval;
        long[] d = new long[amount + 1], p = new long[amount + 1];
        while (n-- > 0) {
            in.nextToken();
            int c = (int) in.nval;
            for (int s = c; s <= amount; s += c) d[s] += c;
        }
        p[0] = 1;
        for (int s = 1; s <= amount; s++) {
            long total = 0;
            for (int from = 1; from <= s; from += 2048) {
                int to = Math.min(s, from + 2047);
                long part = 0;
                for (int k = from; k <= to; k++) part += d[k] * p[s - k];
                total += part % MOD;
            }
            p[s] = total % MOD * power(s, MOD - 2) % MOD;
        }
        System.out.println(p[amount]);
    }
}
