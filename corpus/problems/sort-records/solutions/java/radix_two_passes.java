// LSD radix sort with radix 65536 on an index array.
import java.io.*;

public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int n = Integer.parseInt(in.readLine().trim());
        String[] lines = new String[n];
        int[] keys = new int[n], order = new int[n], other = new int[n];
        for (int i = 0; i < n; i++) {
            String line = in.readLine().trim();
            lines[i] = line;
            keys[i] = 1000000000 - Integer.parseInt(line.substring(line.indexOf(' ') + 1));
            order[i] = i;
        }
        for (int shift = 0; shift < 32; shift += 16) {
            int[] start = new int[65537];
            for (int key : keys) start[(key >>> shift & 65535) + 1]++;
            for (int d = 0; d < 65536; d++) start[d + 1] += start[d];
            for (int i : order) other[start[keys[i] >>> shift & 65535]++] = i;
            int[] swap = order;
            order = other;
            other = swap;
        }
        BufferedWriter out = new BufferedWriter(new OutputStreamWriter(System.out), 1 << 15);
        for (int p = 0; p < n; p++) {
            out.write(Integer.toString(p + 1));
            out.write(' ');
            out.write(lines[order[p]]);
            out.write('\n');
        }
        out.flush();
    }
}
