// One row of counts.
import java.util.*;

public class Main {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int n = in.nextInt(), amount = in.nextInt();
        int[] ways = new int[amount + 1];
        ways[0] = 1;
        for (int i = 0; i < n; i++) {
            int c = in.nextInt();
            for (int s = c; s <= amount; s++) {
                int v = ways[s] + ways[s - c] - 1000000007;
                ways[s] = v < 0 ? v + 1000000007 : v;
            }
        }
        System.out.println(ways[amount]);
    }
}
