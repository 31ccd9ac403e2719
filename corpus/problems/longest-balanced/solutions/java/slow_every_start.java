// Follows the balance from every start.
class Solution {
    public int longestBalanced(String s) {
        byte[] c = s.getBytes();
        int best = 0;
        for (int i = 0; i < c.length; i++) {
            best = Math.max(best, longestFrom(c, i));
        }
        return best;
    }

    private int longestFrom(byte[] c, int i) {
        int depth = 0, best = 0;
        for (int j = i; j < c.length; j++) {
            depth += c[j] == '(' ? 1 : -1;
            if (depth < 0) break;
            if (depth == 0) best = j - i + 1;
        }
        return best;
    }
}
