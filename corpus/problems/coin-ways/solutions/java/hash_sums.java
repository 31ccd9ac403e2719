// Reachable sums in a HashMap.
import java.util.*;

public class Main {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int n = in.nextInt(), amount = in.nextInt();
        Integer[] coins = new Integer[n];
        for (int i = 0; i < n; i++) coins[i] = in.nextInt();
        Arrays.sort(coins, Collections.reverseOrder());
        Map<Integer, Long> ways = new HashMap<>();
        ways.put(0, 1L);
        for (int c : coins) {
            for (int s = c; s <= amount; s++) {
                Long v = ways.get(s - c);
                if (v != null) ways.put(s, (ways.getOrDefault(s, 0L) + v) % 1000000007L);
            }
        }
        System.out.println(ways.getOrDefault(amount, 0L));
    }
}
