// Monotone chain in plain arrays; the points are packed into sorted longs.
import java.io.*;
import java.util.*;

public class Main {
    static byte[] text;
    static int at;

    static long next() {
        while (text[at] <= ' ') at++;
        boolean negative = text[at] == '-';
        if (negative) at++;
        long value = 0;
        for (; at < text.length && text[at] >= '0'; at++) value = value * 10 + text[at] - '0';
        return negative ? -value : value;
    }

    static double perimeter(long[][] points) {
        int n = points.length;
        long[] packed = new long[n];
        for (int i = 0; i < n; i++) packed[i] = (points[i][0] + 1000000) << 32 | (points[i][1] + 1000000);
        Arrays.sort(packed);
        double total = 0;
        for (int round = 0; round < 2; round++) {
            long[] x = new long[n], y = new long[n];
            int k = 0;
            for (int i = 0; i < n; i++) {
                long key = packed[round == 0 ? i : n - 1 - i];
                long px = key >> 32, py = key & 0xffffffffL;
                while (k > 1 && (x[k - 1] - x[k - 2]) * (py - y[k - 2]) - (y[k - 1] - y[k - 2]) * (px - x[k - 2]) <= 0) k--;
                x[k] = px;
                y[k++] = py;
            }
            for (int i = 1; i < k; i++) total += Math.hypot(x[i] - x[i - 1], y[i] - y[i - 1]);
        }
        return total;
    }

    public static void main(String[] args) throws IOException {
        text = System.in.readAllBytes();
        long[][] points = new long[(int) next()][2];
        for (long[] p : points) {
            p[0] = next();
            p[1] = next();
        }
        System.out.printf(Locale.ROOT, "%.9f%n", perimeter(points));
    }
}
