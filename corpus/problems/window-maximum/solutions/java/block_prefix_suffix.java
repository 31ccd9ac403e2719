// Blocks of k: suffix maxima to the left, prefix maxima to the right.
import java.io.*;

public class Main {
    public static void main(String[] args) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in, 1 << 16));
        int n = read(in), k = read(in);
        int[] pre = new int[n], suf = new int[n];
        for (int i = 0; i < n; i++) {
            int x = read(in);
            suf[i] = x;
            pre[i] = i % k == 0 ? x : Math.max(pre[i - 1], x);
        }
        for (int i = n - 2; i >= 0; i--) if ((i + 1) % k != 0) suf[i] = Math.max(suf[i], suf[i + 1]);
        byte[] out = new byte[12 * (n - k + 1)];
        int w = 0;
        for (int i = 0; i + k <= n; i++) {
            byte[] digits = Integer.toString(Math.max(suf[i], pre[i + k - 1])).getBytes();
            System.arraycopy(digits, 0, out, w, digits.length);
            w += digits.length;
            out[w++] = (byte) (i + k == n ? '\n' : ' ');
        }
        System.out.write(out, 0, w);
        System.out.flush();
    }

    static int read(DataInputStream in) throws IOException {
        int c = in.read();
        while (c <= ' ') c = in.read();
        boolean neg = c == '-';
        if (neg) c = in.read();
        int x = 0;
        for (; c > ' '; c = in.read()) x = x * 10 + c - '0';
        return neg ? -x : x;
    }
}
