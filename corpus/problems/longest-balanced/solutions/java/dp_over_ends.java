// ends[i]: longest balanced substring whose last character is number i.
class Solution {
    public int longestBalanced(String s) {
        char[] c = s.toCharArray();
        int[] ends = new int[c.length];
        int best = 0;
        for (int i = 1; i < c.length; i++) {
            if (c[i] != ')') continue;
            int j = i - ends[i - 1] - 1;
            if (j >= 0 && c[j] == '(') {
                ends[i] = ends[i - 1] + 2 + (j > 0 ? ends[j - 1] : 0);
                if (ends[i] > best) best = ends[i];
            }
        }
        return best;
    }
}
