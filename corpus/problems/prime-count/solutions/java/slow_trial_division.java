// Tests every number of every query by trial division.
import java.util.Scanner;

public class Main {
    static boolean isPrime(int v) {
        if (v < 2) return false;
        for (int d = 2; d * d <= v; d++) if (v % d == 0) return false;
        return true;
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int q = in.nextInt();
        while (q-- > 0) {
            int l = in.nextInt(), r = in.nextInt(), c = 0;
            for (int v = l; v <= r; v++) if (isPrime(v)) c++;
            System.out.println(c);
        }
    }
}
