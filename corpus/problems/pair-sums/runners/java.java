import java.io.*;
import java.math.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

// ==Code Submission==

public class Main {
    private static byte[] text;
    private static int at;

    private static boolean skip() {
        while (at < text.length) {
            byte c = text[at];
            if (c == '-' || (c >= '0' && c <= '9')) return true;
            at++;
            if (c == ']') return false;
        }
        return false;
    }

    private static long number() {
        boolean negative = text[at] == '-';
        if (negative) at++;
        long x = 0;
        while (at < text.length && text[at] >= '0' && text[at] <= '9') x = x * 10 + (text[at++] - '0');
        return negative ? -x : x;
    }

    public static void main(String[] args) throws IOException {
        text = System.in.readAllBytes();
        int[] nums = new int[1024];
        int n = 0;
        while (skip()) {
            if (n == nums.length) nums = Arrays.copyOf(nums, 2 * n);
            nums[n++] = (int) number();
        }
        nums = Arrays.copyOf(nums, n);
        skip();
        long target = number();
        long result = new Solution().countPairs(nums, target);
        System.out.println(result);
    }
}
