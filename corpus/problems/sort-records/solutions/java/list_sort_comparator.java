// Sorts a list of record objects with a comparator; split lines for input, StringBuilder for output.
import java.io.*;
import java.util.*;

public class Main {
    static class Row {
        final String name;
        final int score;

        Row(String name, int score) {
            this.name = name;
            this.score = score;
        }
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int n = Integer.parseInt(in.readLine().trim());
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            String[] parts = in.readLine().split(" ");
            rows.add(new Row(parts[0], Integer.parseInt(parts[1].trim())));
        }
        rows.sort((a, b) -> Integer.compare(b.score, a.score));
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < n; i++) {
            out.append(i + 1).append(' ').append(rows.get(i).name).append(' ').append(rows.get(i).score).append('\n');
        }
        System.out.print(out);
    }
}
