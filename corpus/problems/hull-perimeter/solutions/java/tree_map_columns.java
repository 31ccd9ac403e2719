// A TreeMap from x to the lowest and highest point of that column, then two chains.
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
        TreeMap<Long, long[][]> columns = new TreeMap<>();
        for (long[] p : points) {
            long[][] c = columns.computeIfAbsent(p[0], x -> new long[][] {p, p});
            if (p[1] < c[0][1]) c[0] = p;
            if (p[1] > c[1][1]) c[1] = p;
        }
        List<long[]> bottom = new ArrayList<>(), top = new ArrayList<>();
        for (long[][] c : columns.values()) bottom.add(c[0]);
        for (long[][] c : columns.descendingMap().values()) top.add(c[1]);
        long[][] west = columns.firstEntry().getValue(), east = columns.lastEntry().getValue();
        return chain(bottom) + chain(top) + distance(west[0], west[1]) + distance(east[0], east[1]);
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int n = Integer.parseInt(in.readLine().trim());
        long[][] points = new long[n][];
        for (int i = 0; i < n; i++) {
            String[] parts = in.readLine().trim().split(" ");
            points[i] = new long[] {Long.parseLong(parts[0]), Long.parseLong(parts[1])};
        }
        System.out.printf(Locale.ROOT, "%.9f%n", perimeter(points));
    }
}
