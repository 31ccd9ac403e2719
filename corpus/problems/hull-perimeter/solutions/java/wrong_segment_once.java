// Monotone chain; a hull of two corners counts as one side.
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
        Arrays.sort(points, (p, q) -> p[0] != q[0] ? Long.compare(p[0], q[0]) : Long.compare(p[1], q[1]));
        List<long[]> all = new ArrayList<>(Arrays.asList(points));
        double lower = chain(all);
        Collections.reverse(all);
        double upper = chain(all);
        double direct = distance(points[0], points[points.length - 1]);
        if (Math.abs(lower - direct) < 1e-9 && Math.abs(upper - direct) < 1e-9) return direct;
        return lower + upper;
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
