// A TreeMap of frequencies, read from both ends towards the middle.
class Solution {
    public long countPairs(int[] nums, long target) {
        TreeMap<Integer, Long> counts = new TreeMap<>();
        for (int x : nums) counts.merge(x, 1L, Long::sum);
        long result = 0;
        Map.Entry<Integer, Long> low = counts.firstEntry(), high = counts.lastEntry();
        while (low != null && high != null && low.getKey() <= high.getKey()) {
            long total = (long) low.getKey() + high.getKey();
            if (total == target) {
                long c = low.getValue();
                if (low.getKey().equals(high.getKey())) result += c * (c - 1) / 2;
                else result += c * high.getValue();
            }
            if (total <= target) low = counts.higherEntry(low.getKey());
            else high = counts.lowerEntry(high.getKey());
        }
        return result;
    }
}
