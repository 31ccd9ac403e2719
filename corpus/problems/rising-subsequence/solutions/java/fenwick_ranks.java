// Distinct values sorted by a stream, prefix maxima in a Fenwick tree.
class Solution {
    public int longestRising(int[] nums) {
        int[] values = IntStream.of(nums).sorted().distinct().toArray();
        int[] tree = new int[values.length + 1];
        int answer = 0;
        for (int x : nums) {
            int r = Arrays.binarySearch(values, x);
            int best = 0;
            for (int i = r; i > 0; i &= i - 1) best = Math.max(best, tree[i]);
            best++;
            for (int i = r + 1; i < tree.length; i += i & -i) tree[i] = Math.max(tree[i], best);
            answer = Math.max(answer, best);
        }
        return answer;
    }
}
