// A TreeMap from prime to rank, asked with floorEntry.
import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int q = Integer.parseInt(in.readLine().trim());
        int[] l = new int[q], r = new int[q];
        int top = 1;
        for (int i = 0; i < q; i++) {
            String[] parts = in.readLine().split(" ");
            l[i] = Integer.parseInt(parts[0]);
            r[i] = Integer.parseInt(parts[1]);
            top = Math.max(top, r[i]);
        }
        TreeMap<Integer, Integer> rank = new TreeMap<>();
        rank.put(0, 0);
        boolean[] comp = new boolean[top + 1];
        for (int v = 2; v <= top; v++) {
            if (comp[v]) continue;
            rank.put(v, rank.size());
            for (long m = (long) v * v; m <= top; m += v) comp[(int) m] = true;
        }
        StringBuilder sb = new StringBuilder();
        for (int i = 0; i < q; i++) {
            int hi = rank.floorEntry(r[i]).getValue();
            int lo = rank.floorEntry(l[i] - 1).getValue();
            sb.append(hi - lo).append('\n');
        }
        System.out.print(sb);
    }
}
