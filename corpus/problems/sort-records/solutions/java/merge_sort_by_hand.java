// Recursive merge sort on an index array; tokens for input, PrintWriter for output.
import java.io.*;
import java.util.StringTokenizer;

public class Main {
    static int[] score, buffer;

    static void sort(int[] a, int lo, int hi) {
        if (hi - lo < 2) return;
        int mid = (lo + hi) >>> 1;
        sort(a, lo, mid);
        sort(a, mid, hi);
        System.arraycopy(a, lo, buffer, lo, mid - lo);
        int i = lo, j = mid, k = lo;
        while (i < mid) {
            if (j < hi && score[a[j]] > score[buffer[i]]) a[k++] = a[j++];
            else a[k++] = buffer[i++];
        }
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in), 1 << 16);
        int n = Integer.parseInt(in.readLine().trim());
        String[] name = new String[n];
        score = new int[n];
        buffer = new int[n];
        int[] order = new int[n];
        for (int i = 0; i < n; i++) {
            StringTokenizer tokens = new StringTokenizer(in.readLine());
            name[i] = tokens.nextToken();
            score[i] = Integer.parseInt(tokens.nextToken());
            order[i] = i;
        }
        sort(order, 0, n);
        PrintWriter out = new PrintWriter(new BufferedWriter(new OutputStreamWriter(System.out)));
        for (int p = 0; p < n; p++) out.println((p + 1) + " " + name[order[p]] + " " + score[order[p]]);
        out.flush();
    }
}
