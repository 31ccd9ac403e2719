// Patience sorting with real piles: a list of deques, searched by their top cards.
class Solution {
    public int longestRising(int[] nums) {
        List<ArrayDeque<Integer>> piles = new ArrayList<>();
        for (Integer card : nums) {
            int lo = 0, hi = piles.size();
            while (lo < hi) {
                int mid = (lo + hi) / 2;
                if (piles.get(mid).peekLast().compareTo(card) < 0) lo = mid + 1;
                else hi = mid;
            }
            if (lo == piles.size()) piles.add(new ArrayDeque<>());
            piles.get(lo).addLast(card);
        }
        return piles.size();
    }
}
