// Extends the chain of the closest smaller value seen so far.
class Solution {
    public int longestRising(int[] nums) {
        TreeMap<Integer, Integer> ending = new TreeMap<>();
        int answer = 0;
        for (int x : nums) {
            Map.Entry<Integer, Integer> lower = ending.lowerEntry(x);
            int length = lower == null ? 1 : lower.getValue() + 1;
            ending.put(x, length);
            answer = Math.max(answer, length);
        }
        return answer;
    }
}
