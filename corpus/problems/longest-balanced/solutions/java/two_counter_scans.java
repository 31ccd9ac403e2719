// One pass from the left, one from the right, nothing stored.
class Solution {
    public int longestBalanced(String s) {
        return Math.max(scan(s, 0, 1, '('), scan(s, s.length() - 1, -1, ')'));
    }

    private int scan(String s, int from, int step, char opening) {
        int depth = 0, length = 0, best = 0;
        for (int i = from; i >= 0 && i < s.length(); i += step) {
            if (s.charAt(i) == opening) {
                depth++;
            } else if (depth == 0) {
                length = 0;
            } else {
                depth--;
                length += 2;
                if (depth == 0) best = Math.max(best, length);
            }
        }
        return best;
    }
}
