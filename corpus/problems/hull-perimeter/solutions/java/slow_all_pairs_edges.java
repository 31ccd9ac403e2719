// Tests for every ordered pair of points whether all others lie on one side.
import java.io.*;
import java.util.*;

public class Main {
    static long cross(long[] a, long[] b, long[] c) {
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    }

    static double distance(long[] a, long[] b) {
        double dx = a[0] - b[0], dy = a[1] - b[1];
        return Math.sqrt(dx * dx + dy * dy);
    }

    static double perimeter(long[][] points) {
        Set<List<Long>> seen = new HashSet<>();
        List<long[]> distinct = new ArrayList<>();
        for (long[] p : points) if (seen.add(List.of(p[0], p[1]))) distinct.add(p);
        long[][] d = distinct.toArray(new long[0][]);
        double total = 0;
        for (long[] a : d) {
            for (long[] b : d) {
                boolean edge = a != b;
                for (int k = 0; edge && k < d.length; k++) {
                    long[] c = d[k];
                    long turn = cross(a, b, c);
                    if (turn < 0 || turn == 0 && (c[0] - a[0]) * (c[0] - b[0]) + (c[1] - a[1]) * (c[1] - b[1]) > 0) edge = false;
                }
                if (edge) total += distance(a, b);
            }
        }
        return total;
    }

    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedReader(new InputStreamReader(System.in)));
        in.nextToken();
        long[][] points = new long[(int) in.nval][2];
        for (long[] p : points) {
            for (int d = 0; d < 2; d++) {
                in.nextToken();
                p[d] = (long) in.nval;
            }
        }
        System.out.printf(Locale.ROOT, "%.9f%n", perimeter(points));
    }
}
