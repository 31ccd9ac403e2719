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
        String text = line.substring(line.indexOf('"') + 1, line.lastIndexOf('"'));
        System.out.println(new Solution().longestBalanced(text));
    }
}
