// A priority queue of {score, index} pairs that is drained in order.
import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int n = Integer.parseInt(in.readLine().trim());
        PriorityQueue<int[]> queue = new PriorityQueue<>((a, b) -> a[0] != b[0] ? Integer.compare(b[0], a[0]) : a[1] - b[1]);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            String line = in.readLine();
            int gap = line.indexOf(' ');
            names.add(line.substring(0, gap));
            queue.add(new int[] {Integer.parseInt(line.substring(gap + 1).trim()), i});
        }
        StringJoiner out = new StringJoiner("\n", "", "\n");
        for (int place = 1; !queue.isEmpty(); place++) {
            int[] top = queue.poll();
            out.add(place + " " + names.get(top[1]) + " " + top[0]);
        }
        System.out.print(out);
    }
}
