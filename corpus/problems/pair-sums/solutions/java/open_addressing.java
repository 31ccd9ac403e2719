// One pass with a hand-made hash table in two int arrays.
class Solution {
    private int[] values, counts;
    private int mask;

    public long countPairs(int[] nums, long target) {
        int size = Integer.highestOneBit(nums.length) * 4;
        values = new int[size];
        counts = new int[size];
        mask = size - 1;
        long result = 0;
        for (int x : nums) {
            long partner = target - x;
            if (partner == (int) partner) result += counts[slot((int) partner)];
            int own = slot(x);
            values[own] = x;
            counts[own]++;
        }
        return result;
    }

    private int slot(int x) {
        int h = x * 0x9E3779B1;
        h = (h ^ h >>> 15) & mask;
        while (counts[h] != 0 && values[h] != x) h = (h + 1) & mask;
        return h;
    }
}
