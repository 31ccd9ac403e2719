import java.io.*;
import java.math.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

// ==Code Submission==

public class Main {
    private static int[] parseInts(byte[] text) {
        int[] out = new int[1024];
        int size = 0, i = 0;
        while (i < text.length && text[i] != '[') i++;
        while (i < text.length && text[i] != ']') {
            byte c = text[i];
            if (c == '-' || (c >= '0' && c <= '9')) {
                boolean negative = c == '-';
                if (negative) i++;
                int v = 0;
                while (i < text.length && text[i] >= '0' && text[i] <= '9') v = v * 10 + (text[i++] - '0');
                if (size == out.length) out = Arrays.copyOf(out, size * 2);
                out[size++] = negative ? -v : v;
            } else {
                i++;
            }
        }
        return Arrays.copyOf(out, size);
    }

    public static void main(String[] args) throws IOException {
        byte[] text = System.in.readAllBytes();
        System.out.println(new Solution().longestRising(parseInts(text)));
    }
}
