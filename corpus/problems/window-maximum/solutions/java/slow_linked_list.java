// Keeps the window in a linked list and walks all of it for every answer.
import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedInputStream(System.in));
        in.nextToken();
        int n = (int) in.nval;
        in.nextToken();
        int k = (int) in.nval;
        LinkedList<Integer> window = new LinkedList<>();
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < n; i++) {
            in.nextToken();
            window.addLast((int) in.nval);
            if (window.size() > k) window.removeFirst();
            if (window.size() == k) out.append(Collections.max(window)).append(' ');
        }
        System.out.println(out);
    }
}
