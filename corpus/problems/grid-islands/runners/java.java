import java.io.*;
import java.math.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

// ==Code Submission==

public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, "US-ASCII"), 1 << 16);
        String line = input.readLine();
        ArrayList<int[]> rows = new ArrayList<>();
        int[] row = new int[16];
        int used = 0, depth = 0;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '[') {
                depth++;
                used = 0;
            } else if (c == ']') {
                if (depth-- == 2) rows.add(Arrays.copyOf(row, used));
            } else if (c >= '0' && c <= '9') {
                int value = 0;
                while (i < line.length() && line.charAt(i) >= '0' && line.charAt(i) <= '9') {
                    value = value * 10 + (line.charAt(i++) - '0');
                }
                i--;
                if (used == row.length) row = Arrays.copyOf(row, 2 * used);
                row[used++] = value;
            }
        }
        System.out.println(new Solution().countIslands(rows.toArray(new int[0][])));
    }
}
