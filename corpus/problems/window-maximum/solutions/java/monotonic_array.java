// Falling sequence in an int array used as a deque; raw byte input and output.
import java.io.*;

public class Main {
    static byte[] data;
    static int at = 0;

    static int next() {
        while (data[at] <= ' ') at++;
        boolean neg = data[at] == '-';
        if (neg) at++;
        int x = 0;
        while (at < data.length && data[at] > ' ') x = x * 10 + data[at++] - '0';
        return neg ? -x : x;
    }

    public static void main(String[] args) throws IOException {
        data = System.in.readAllBytes();
        int n = next(), k = next();
        int[] a = new int[n];
        int[] q = new int[n];
        int head = 0, tail = 0;
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < n; i++) {
            a[i] = next();
            while (tail > head && a[q[tail - 1]] <= a[i]) tail--;
            q[tail++] = i;
            if (q[head] <= i - k) head++;
            if (i >= k - 1) out.append(a[q[head]]).append(' ');
        }
        out.setCharAt(out.length() - 1, '\n');
        System.out.print(out);
    }
}
