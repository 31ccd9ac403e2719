// Runs the number of steps on standard input, each with arithmetic, a table and a map.
import java.util.HashMap;
import java.util.Scanner;

public class Main {
    public static void main(String[] arguments) {
        int steps = new Scanner(System.in).nextInt();
        int[] cells = new int[4096];
        HashMap<Integer, Integer> counts = new HashMap<>();
        int x = 12345, h = 0;
        for (int i = 0; i < steps; i++) {
            x = x * 1103515245 + 12345;
            int at = x >>> 9 & 4095;
            cells[at] = cells[at] * 3 + (x >>> 5) + i;
            counts.merge(Integer.remainderUnsigned(cells[at], 503), 1, Integer::sum);
            h = h * 31 + cells[at];
        }
        System.out.println(h + " " + counts.size());
    }
}
