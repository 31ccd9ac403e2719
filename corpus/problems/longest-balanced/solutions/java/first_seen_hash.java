// Hash map from height to the place where the current stretch at that height began.
class Solution {
    public int longestBalanced(String s) {
        Map<Integer, Integer> first = new HashMap<>();
        first.put(0, 0);
        int height = 0, best = 0;
        for (int p = 1; p <= s.length(); p++) {
            if (s.charAt(p - 1) == '(') {
                first.putIfAbsent(++height, p);
            } else {
                first.remove(height--);
                Integer start = first.putIfAbsent(height, p);
                if (start != null) best = Math.max(best, p - start);
            }
        }
        return best;
    }
}
