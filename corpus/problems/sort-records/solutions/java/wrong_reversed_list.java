// Sorts by rising score and prints the list from its end.
import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int n = Integer.parseInt(in.readLine().trim());
        List<String[]> rows = new ArrayList<>();
        for (int i = 0; i < n; i++) rows.add(in.readLine().trim().split(" "));
        rows.sort(Comparator.comparingInt(row -> Integer.parseInt(row[1])));
        Collections.reverse(rows);
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < n; i++) {
            out.append(i + 1).append(' ').append(rows.get(i)[0]).append(' ').append(rows.get(i)[1]).append('\n');
        }
        System.out.print(out);
    }
}
