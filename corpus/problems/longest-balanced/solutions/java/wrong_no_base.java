// Forgets to move the base when a closing bracket has no partner.
class Solution {
    public int longestBalanced(String s) {
        ArrayDeque<Integer> open = new ArrayDeque<>();
        int best = 0;
        for (int i = 0; i < s.length(); i++) {
            if (s.charAt(i) == '(') {
                open.push(i);
            } else if (!open.isEmpty()) {
                open.pop();
                int base = open.isEmpty() ? -1 : open.peek();
                best = Math.max(best, i - base);
            }
        }
        return best;
    }
}
