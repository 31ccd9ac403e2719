// Linear sieve with smallest factors, then binary search.
import java.io.*;
import java.util.Arrays;
import java.util.StringTokenizer;

public class Main {
    static int rank(int[] primes, int count, int x) {
        int k = Arrays.binarySearch(primes, 0, count, x);
        return k >= 0 ? k + 1 : -k - 1;
    }

    public static void main(String[] args) throws IOException {
        final int n = 2000000;
        int[] low = new int[n + 1];
        int[] primes = new int[150000];
        int count = 0;
        for (int i = 2; i <= n; i++) {
            if (low[i] == 0) {
                low[i] = i;
                primes[count++] = i;
            }
            for (int k = 0; k < count; k++) {
                int p = primes[k];
                if (p > low[i] || (long) p * i > n) break;
                low[p * i] = p;
            }
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int q = Integer.parseInt(in.readLine().trim());
        StringBuilder sb = new StringBuilder();
        for (int i = 0; i < q; i++) {
            StringTokenizer st = new StringTokenizer(in.readLine());
            int l = Integer.parseInt(st.nextToken());
            int r = Integer.parseInt(st.nextToken());
            sb.append(rank(primes, count, r) - rank(primes, count, l - 1)).append("\n");
        }
        System.out.print(sb);
    }
}
