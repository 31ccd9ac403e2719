// A TreeMap from score (largest first) to the names in input order; StreamTokenizer for input.
import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedReader(new InputStreamReader(System.in)));
        in.nextToken();
        int n = (int) in.nval;
        TreeMap<Integer, List<String>> groups = new TreeMap<>(Comparator.reverseOrder());
        while (n-- > 0) {
            in.nextToken();
            String name = in.sval;
            in.nextToken();
            groups.computeIfAbsent((int) in.nval, score -> new ArrayList<>(2)).add(name);
        }
        StringBuilder out = new StringBuilder(1 << 20);
        int place = 0;
        for (Map.Entry<Integer, List<String>> group : groups.entrySet()) {
            for (String name : group.getValue()) {
                out.append(++place).append(' ').append(name).append(' ').append(group.getKey()).append('\n');
            }
        }
        System.out.print(out);
    }
}
