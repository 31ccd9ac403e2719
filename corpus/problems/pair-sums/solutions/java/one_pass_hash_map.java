// One pass with a HashMap of the values seen so far.
class Solution {
    public long countPairs(int[] nums, long target) {
        Map<Long, Integer> seen = new HashMap<>();
        long result = 0;
        for (int x : nums) {
            result += seen.getOrDefault(target - x, 0);
            seen.merge((long) x, 1, Integer::sum);
        }
        return result;
    }
}
