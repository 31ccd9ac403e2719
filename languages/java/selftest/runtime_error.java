import java.util.Scanner;

public class Main {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int n = in.nextInt();
        long[] values = new long[n];
        for (int i = 0; i < n; i++) values[i] = in.nextLong();
        System.out.println(values[n]);  // past the end: an exception nobody catches
    }
}
