// Typical code of programs: the more of it javac compiles here, the more of its own classes are prepared.
import java.io.*;
import java.math.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

public class Main {
    enum Color { RED, GREEN }

    record Point(int x, int y) {
        int sum() { return x + y; }
    }

    interface Shape { default double area() { return 0; } }

    static abstract class Base<T extends Comparable<T>> implements Shape, Comparable<Base<T>> {
        protected T value;
        Base(T value) { this.value = value; }
        public int compareTo(Base<T> other) { return value.compareTo(other.value); }
    }

    static final class Box extends Base<Long> {
        Box(long value) { super(value); }
        @Override public double area() { return value * 1.5e0; }
    }

    static class Reader implements AutoCloseable {
        private final StreamTokenizer in = new StreamTokenizer(new BufferedInputStream(System.in));
        int next() throws IOException { in.nextToken(); return (int) in.nval; }
        public void close() {}
    }

    static <T> void swap(T[] values, int a, int b) { T kept = values[a]; values[a] = values[b]; values[b] = kept; }

    static int total(int... values) { int sum = 0; for (int value : values) sum += value; return sum; }

    public static void main(String[] args) throws Exception {
        BufferedReader reader = new BufferedReader(new InputStreamReader(System.in));
        PrintWriter out = new PrintWriter(new BufferedWriter(new OutputStreamWriter(System.out)));
        StringTokenizer words = new StringTokenizer("3 1 2");
        int n = Integer.parseInt(words.nextToken());
        long[][] table = new long[n + 1][n + 1];
        int[] given = {5, 4, 3};
        Map<Integer, List<String>> groups = new TreeMap<>(Comparator.reverseOrder());
        for (int i = 0, j = n; i < j; i++, j--) {
            table[i][j] = (long) i * j % 1_000_000_007L ^ (1L << i);
            groups.computeIfAbsent(i & 1, key -> new ArrayList<>()).add("v" + i);
        }
        PriorityQueue<int[]> queue = new PriorityQueue<>((a, b) -> a[0] != b[0] ? Integer.compare(a[0], b[0]) : b[1] - a[1]);
        queue.add(new int[] {1, 2});
        Deque<Point> stack = new ArrayDeque<>();
        outer:
        while (!queue.isEmpty()) {
            int[] top = queue.poll();
            switch (top[0]) {
                case 1: stack.push(new Point(top[0], top[1])); break;
                default: continue outer;
            }
            do { n--; } while (n > 0);
        }
        String said = switch (Color.values()[0]) { case RED -> "red"; case GREEN -> "green"; };
        Function<Integer, Integer> twice = x -> 2 * x;
        BiFunction<Long, Long, Long> product = Math::multiplyExact;
        try (Reader ours = new Reader()) {
            Object found = product.apply(3L, 4L);
            if (found instanceof Long value && value > 0) out.println(value + twice.apply(n));
        } catch (ArithmeticException | IllegalStateException error) {
            throw new RuntimeException(error);
        } finally {
            Arrays.sort(given);
        }
        Integer[] boxed = IntStream.range(0, 4).boxed().toArray(Integer[]::new);
        swap(boxed, 0, 1);
        out.printf("%d %s %.2f%n", total(given), Arrays.stream(given).mapToObj(String::valueOf).collect(Collectors.joining(",")), new Box(3).area());
        StringBuilder text = new StringBuilder();
        for (Map.Entry<Integer, List<String>> entry : groups.entrySet()) text.append(entry.getKey()).append(entry.getValue());
        char[] letters = said.toCharArray();
        Set<Character> seen = new HashSet<>();
        for (char letter : letters) if (!seen.add(letter)) text.append((char) (letter + 1));
        BigInteger large = BigInteger.TWO.pow(100).mod(BigInteger.valueOf(97));
        Runnable last = new Runnable() { public void run() { out.println(text.toString() + large); } };
        last.run();
        double root = Math.sqrt(stack.isEmpty() ? 0 : stack.peek().sum());
        out.println(root > 1 ? "many" : "few");
        out.flush();
    }
}
