// Boolean sieve and pi(x) for every x.
import java.util.Scanner;

public class Main {
    public static void main(String[] args) {
        int n = 2000000;
        boolean[] comp = new boolean[n + 1];
        int[] pi = new int[n + 1];
        for (int i = 2; i <= n; i++) {
            pi[i] = pi[i - 1];
            if (comp[i]) continue;
            pi[i]++;
            if (i < 1415) for (int j = i * i; j <= n; j += i) comp[j] = true;
        }
        Scanner in = new Scanner(System.in);
        int q = in.nextInt();
        StringBuilder sb = new StringBuilder();
        while (q-- > 0) {
            int l = in.nextInt(), r = in.nextInt();
            sb.append(pi[r] - pi[l - 1]).append('\n');
        }
        System.out.print(sb);
    }
}
