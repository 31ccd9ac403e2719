// Recursion with a memo in a thread with a large stack.
import java.util.*;

public class Main {
    static int[] coins;
    static int[][] memo;

    static int count(int i, int rest) {
        if (rest == 0) return 1;
        if (i == 0) return rest % coins[0] == 0 ? 1 : 0;
        if (memo[i][rest] != 0) return memo[i][rest] - 1;
        int r = count(i - 1, rest);
        if (rest >= coins[i]) r = (r + count(i, rest - coins[i])) % 1000000007;
        memo[i][rest] = r + 1;
        return r;
    }

    public static void main(String[] args) throws InterruptedException {
        Scanner in = new Scanner(System.in);
        int n = in.nextInt(), amount = in.nextInt();
        coins = new int[n];
        for (int i = 0; i < n; i++) coins[i] = in.nextInt();
        Arrays.sort(coins);
        memo = new int[n][amount + 1];
        Thread t = new Thread(null, () -> System.out.println(count(n - 1, amount)), "count", 1 << 27);
        t.start();
        t.join();
    }
}
