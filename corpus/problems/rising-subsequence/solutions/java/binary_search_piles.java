// Tails per length in an int array, found with Arrays.binarySearch.
class Solution {
    public int longestRising(int[] nums) {
        int[] tails = new int[nums.length];
        int size = 0;
        for (int x : nums) {
            int at = Arrays.binarySearch(tails, 0, size, x);
            if (at >= 0) continue;
            at = -at - 1;
            tails[at] = x;
            if (at == size) size++;
        }
        return size;
    }
}
