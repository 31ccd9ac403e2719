// Sorts boxed values, then finds the partners of each element with two binary searches.
class Solution {
    public long countPairs(int[] nums, long target) {
        List<Long> sorted = new ArrayList<>();
        for (int x : nums) sorted.add((long) x);
        Collections.sort(sorted);
        long result = 0;
        for (int i = 0; i < sorted.size(); i++) {
            long want = target - sorted.get(i);
            result += firstNotBelow(sorted, i + 1, want + 1) - firstNotBelow(sorted, i + 1, want);
        }
        return result;
    }

    private int firstNotBelow(List<Long> sorted, int low, long bound) {
        int high = sorted.size();
        while (low < high) {
            int mid = (low + high) >>> 1;
            if (sorted.get(mid) < bound) low = mid + 1;
            else high = mid;
        }
        return low;
    }
}
