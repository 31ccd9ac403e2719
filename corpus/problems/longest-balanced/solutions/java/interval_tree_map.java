// Disjoint balanced blocks in a TreeMap (start -> end), merged whenever a pair closes.
class Solution {
    public int longestBalanced(String s) {
        TreeMap<Integer, Integer> blocks = new TreeMap<>();
        ArrayDeque<Integer> open = new ArrayDeque<>();
        int best = 0;
        for (int j = 0; j < s.length(); j++) {
            if (s.charAt(j) == '(') {
                open.push(j);
                continue;
            }
            if (open.isEmpty()) continue;
            int i = open.pop();
            if (j > i + 1) blocks.remove(i + 1);
            Map.Entry<Integer, Integer> before = blocks.lowerEntry(i);
            if (before != null && before.getValue() == i - 1) i = before.getKey();
            blocks.put(i, j);
            best = Math.max(best, j - i + 1);
        }
        return best;
    }
}
