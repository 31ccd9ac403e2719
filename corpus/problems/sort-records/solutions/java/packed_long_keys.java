// Raw byte input, score and index packed into longs, Arrays.sort, raw byte output.
import java.io.*;
import java.util.Arrays;

public class Main {
    static byte[] out;
    static int used;

    static void number(int value) {
        if (value < 0) {
            out[used++] = '-';
            value = -value;
        }
        int length = 1;
        for (int rest = value / 10; rest > 0; rest /= 10) length++;
        for (int p = used + length - 1; p >= used; p--) {
            out[p] = (byte) ('0' + value % 10);
            value /= 10;
        }
        used += length;
    }

    public static void main(String[] args) throws IOException {
        byte[] text = System.in.readAllBytes();
        int p = 0, n = 0;
        for (; text[p] > ' '; p++) n = n * 10 + text[p] - '0';
        int[] start = new int[n], end = new int[n];
        long[] keys = new long[n];
        for (int i = 0; i < n; i++) {
            while (text[p] <= ' ') p++;
            start[i] = p;
            while (text[p] > ' ') p++;
            end[i] = p++;
            boolean negative = text[p] == '-';
            if (negative) p++;
            long value = 0;
            for (; p < text.length && text[p] > ' '; p++) value = value * 10 + text[p] - '0';
            keys[i] = (1000000000L - (negative ? -value : value)) << 16 | i;
        }
        Arrays.sort(keys);
        out = new byte[n * 32];
        for (int place = 1; place <= n; place++) {
            long key = keys[place - 1];
            int i = (int) (key & 65535);
            number(place);
            out[used++] = ' ';
            System.arraycopy(text, start[i], out, used, end[i] - start[i]);
            used += end[i] - start[i];
            out[used++] = ' ';
            number((int) (1000000000L - (key >> 16)));
            out[used++] = '\n';
        }
        System.out.write(out, 0, used);
        System.out.flush();
    }
}
