// Quickhull on lists of outside points.
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

    static long cross(long[] a, long[] b, long[] c) {
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    }

    static double distance(long[] a, long[] b) {
        double dx = a[0] - b[0], dy = a[1] - b[1];
        return Math.sqrt(dx * dx + dy * dy);
    }

    static double side(List<long[]> points, long[] a, long[] b) {
        if (points.isEmpty()) return distance(a, b);
        long[] far = null;
        long best = 0;
        for (long[] p : points) {
            long c = cross(a, b, p);
            if (c > best) {
                best = c;
                far = p;
            }
        }
        List<long[]> left = new ArrayList<>(), right = new ArrayList<>();
        for (long[] p : points) {
            if (cross(a, far, p) > 0) left.add(p);
            else if (cross(far, b, p) > 0) right.add(p);
        }
        return side(left, a, far) + side(right, far, b);
    }

    static double perimeter(long[][] points) {
        Comparator<long[]> byPlace = (p, q) -> p[0] != q[0] ? Long.compare(p[0], q[0]) : Long.compare(p[1], q[1]);
        long[] a = Collections.min(Arrays.asList(points), byPlace), b = Collections.max(Arrays.asList(points), byPlace);
        List<long[]> above = new ArrayList<>(), below = new ArrayList<>();
        for (long[] p : points) {
            long c = cross(a, b, p);
            if (c > 0) above.add(p);
            if (c < 0) below.add(p);
        }
        return side(above, a, b) + side(below, b, a);
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
