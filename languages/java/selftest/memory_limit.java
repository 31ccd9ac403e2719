import java.util.ArrayList;
import java.util.Arrays;
import java.util.Scanner;

public class Main {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int n = in.nextInt();
        long sum = 0;
        for (int i = 0; i < n; i++) sum += in.nextLong();
        // 1 GiB in pieces of 16 MiB, every byte written and one of each piece read back
        ArrayList<byte[]> kept = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            byte[] piece = new byte[16 << 20];
            Arrays.fill(piece, (byte) n);
            kept.add(piece);
        }
        for (byte[] piece : kept) sum += piece[n] - n;
        System.out.println(sum);
    }
}
