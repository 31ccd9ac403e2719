// The Java reference program: a fixed amount of contest-like work, run right beside every
// measurement as the unit of relative time. It reads nothing and prints one checksum line.
// Changing it changes every relative time.
import java.util.Arrays;
import java.util.HashMap;

public class Main {
    static final int CELLS = 1 << 18;  // 32-bit cells: 1 MiB
    static final int ROUNDS = 8;
    static final int STEPS = 50000;
    static final int COUNTS = 10000;
    static final int KEYS = 5003;
    static final int SORTED = 5000;
    static final int MASK = 0x7fffffff;

    public static void main(String[] args) {
        int[] cells = new int[CELLS];
        HashMap<Integer, Integer> counts = new HashMap<>();
        int x = 12345, h = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < STEPS; i++) {
                x = (x * 1103515245 + 12345) & MASK;
                int j = (x >> 9) & (CELLS - 1);
                cells[j] = (cells[j] * 3 + (x >> 5) + i) & MASK;
            }
            for (int i = 0; i < COUNTS; i++) {
                int key = cells[i] % KEYS;
                counts.put(key, counts.getOrDefault(key, 0) + 1);
                h = (h * 31 + counts.get(key)) & MASK;
            }
            int[] part = Arrays.copyOf(cells, SORTED);
            Arrays.sort(part);
            for (int value : part) h = (h * 31 + value) & MASK;
        }
        System.out.println(h);
    }
}
