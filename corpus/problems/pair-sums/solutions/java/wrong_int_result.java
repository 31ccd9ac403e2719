// One pass with a hash map, everything in 32 bits.
class Solution {
    public long countPairs(int[] nums, long target) {
        Map<Integer, Integer> seen = new HashMap<>();
        int result = 0;
        for (int x : nums) {
            result += seen.getOrDefault((int) target - x, 0);
            seen.merge(x, 1, Integer::sum);
        }
        return result;
    }
}
