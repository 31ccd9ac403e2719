// Takes the first value off a linked list, then walks the whole rest for its partners.
class Solution {
    public long countPairs(int[] nums, long target) {
        LinkedList<Long> rest = new LinkedList<>();
        for (int x : nums) rest.add((long) x);
        long result = 0;
        while (!rest.isEmpty()) {
            Long want = target - rest.removeFirst();
            for (Long y : rest)
                if (y.equals(want)) result++;
        }
        return result;
    }
}
