// Bubble sort of text records; the score is parsed again for every comparison.
import java.io.*;

public class Main {
    static int score(String line) {
        return Integer.parseInt(line.substring(line.indexOf(' ') + 1));
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int n = Integer.parseInt(in.readLine().trim());
        String[] rows = new String[n];
        for (int i = 0; i < n; i++) rows[i] = in.readLine().trim();
        for (int end = n - 1; end > 0; end--) {
            for (int j = 0; j < end; j++) {
                if (score(rows[j]) < score(rows[j + 1])) {
                    String swap = rows[j];
                    rows[j] = rows[j + 1];
                    rows[j + 1] = swap;
                }
            }
        }
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < n; i++) out.append(i + 1).append(' ').append(rows[i]).append('\n');
        System.out.print(out);
    }
}
