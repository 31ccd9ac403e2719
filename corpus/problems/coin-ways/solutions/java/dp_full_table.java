// Whole table of coins by sums in longs.
import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        StringTokenizer st = new StringTokenizer(in.readLine());
        int n = Integer.parseInt(st.nextToken()), amount = Integer.parseInt(st.nextToken());
        st = new StringTokenizer(in.readLine());
        long[][] t = new long[n + 1][amount + 1];
        t[0][0] = 1;
        for (int i = 1; i <= n; i++) {
            int c = Integer.parseInt(st.nextToken());
            for (int s = 0; s <= amount; s++) {
                t[i][s] = t[i - 1][s];
                if (s >= c) t[i][s] = (t[i][s] + t[i][s - c]) % 1000000007L;
            }
        }
        System.out.println(t[n][amount]);
    }
}
