// Sorts packed (height, position) keys; runs leaving upwards each time are balanced.
class Solution {
    public int longestBalanced(String s) {
        int n = s.length();
        long[] key = new long[n + 1];
        long height = n;
        key[0] = height << 20;
        for (int i = 0; i < n; i++) {
            height += s.charAt(i) == '(' ? 1 : -1;
            key[i + 1] = (height << 20) | (i + 1);
        }
        Arrays.sort(key);
        int mask = (1 << 20) - 1;
        int best = 0, start = (int) (key[0] & mask);
        for (int k = 1; k <= n; k++) {
            int before = (int) (key[k - 1] & mask), now = (int) (key[k] & mask);
            if (key[k] >> 20 == key[k - 1] >> 20 && s.charAt(before) == '(') {
                best = Math.max(best, now - start);
            } else {
                start = now;
            }
        }
        return best;
    }
}
