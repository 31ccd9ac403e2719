// Prefix counts of a sieve.
import java.io.*;

public class Main {
    public static void main(String[] args) throws IOException {
        int n = 2000000;
        boolean[] comp = new boolean[n + 1];
        int[] below = new int[n + 2];
        for (int i = 2; i <= n; i++) {
            below[i + 1] = below[i];
            if (comp[i]) continue;
            below[i + 1]++;
            if (i < 1415) for (int j = i * i; j <= n; j += i) comp[j] = true;
        }
        StreamTokenizer in = new StreamTokenizer(new BufferedInputStream(System.in));
        in.nextToken();
        int q = (int) in.nval;
        StringBuilder sb = new StringBuilder();
        while (q-- > 0) {
            in.nextToken();
            int l = (int) in.nval;
            in.nextToken();
            int r = (int) in.nval;
            sb.append(below[r] - below[l]).append('\n');
        }
        System.out.print(sb);
    }
}
