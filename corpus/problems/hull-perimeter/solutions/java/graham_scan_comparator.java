// Graham scan: comparator by exact angle around the lowest point, ArrayDeque as stack.
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
        long[] pivot = points[0];
        for (long[] p : points) {
            if (p[1] < pivot[1] || p[1] == pivot[1] && p[0] < pivot[0]) pivot = p;
        }
        final long[] o = pivot;
        Arrays.sort(points, (a, b) -> {
            boolean first = a[0] == o[0] && a[1] == o[1], second = b[0] == o[0] && b[1] == o[1];
            if (first || second) return first == second ? 0 : first ? -1 : 1;
            long turn = cross(o, a, b);
            return turn != 0 ? Long.signum(-turn) : Double.compare(distance(o, a), distance(o, b));
        });
        ArrayDeque<long[]> stack = new ArrayDeque<>();
        for (long[] p : points) {
            if (!stack.isEmpty() && Arrays.equals(stack.peek(), p)) continue;
            while (stack.size() > 1) {
                long[] top = stack.pop();
                if (cross(stack.peek(), top, p) > 0) {
                    stack.push(top);
                    break;
                }
            }
            stack.push(p);
        }
        double total = 0;
        long[] before = stack.peekLast();
        for (long[] p : stack) {
            total += distance(before, p);
            before = p;
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
