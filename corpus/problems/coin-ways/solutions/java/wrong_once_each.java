// Falling pass over the sums, so no coin is used twice.
import java.util.*;

public class Main {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int n = in.nextInt(), amount = in.nextInt();
        int[] ways = new int[amount + 1];
        ways[0] = 1;
        while (n-- > 0) {
            int c = in.nextInt();
            for (int s = amount; s >= c; s--) ways[s] = (ways[s] + ways[s - c]) % 1000000007;
        }
        System.out.println(ways[amount]);
    }
}
