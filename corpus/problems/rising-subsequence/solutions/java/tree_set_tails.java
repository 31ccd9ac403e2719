// The tails live in a TreeSet; a new number pushes out its ceiling.
class Solution {
    public int longestRising(int[] nums) {
        TreeSet<Integer> tails = new TreeSet<>();
        for (int x : nums) {
            Integer next = tails.ceiling(x);
            if (next != null) tails.remove(next);
            tails.add(x);
        }
        return tails.size();
    }
}
