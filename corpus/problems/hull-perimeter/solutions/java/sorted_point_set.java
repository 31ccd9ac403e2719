// A TreeSet of distinct points walked in both directions by the chain scan.
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

    static double chain(List<long[]> points) {
        ArrayList<long[]> hull = new ArrayList<>();
        for (long[] p : points) {
            int k = hull.size();
            while (k > 1 && cross(hull.get(k - 2), hull.get(k - 1), p) <= 0) hull.remove(--k);
            hull.add(p);
        }
        double total = 0;
        for (int i = 1; i < hull.size(); i++) total += distance(hull.get(i - 1), hull.get(i));
        return total;
    }

    static double perimeter(long[][] points) {
        TreeSet<long[]> set = new TreeSet<>(Comparator.<long[]>comparingLong(p -> p[0]).thenComparingLong(p -> p[1]));
        Collections.addAll(set, points);
        return chain(new ArrayList<>(set)) + chain(new ArrayList<>(set.descendingSet()));
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
