// Dense polynomial product for every coin.
import java.util.*;

public class Main {
    static long[] multiply(long[] x, long[] y) {
        long[] z = new long[x.length + y.length - 1];
        for (int i = 0; i < x.length; i++)
            for (int j = 0; j < y.length; j++) z[i + j] = (z[i + j] + x[i] * y[j]) % 1000000007L;
        return Arrays.copyOf(z, x.length);
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int n = in.nextInt(), amount = in.nextInt();
        long[] total = new long[amount + 1];
        total[0] = 1;
        for (int i = 0; i < n; i++) {
            int c = in.nextInt();
            long[] factor = new long[amount + 1];
            for (int s = 0; s <= amount; s += c) factor[s] = 1;
            total = multiply(total, factor);
        }
        System.out.println(total[amount]);
    }
}
