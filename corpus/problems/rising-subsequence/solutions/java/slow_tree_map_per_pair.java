// Chain lengths per value in a TreeMap, looked up once for every pair of positions.
class Solution {
    public int longestRising(int[] nums) {
        TreeMap<Integer, Integer> ending = new TreeMap<>();
        int answer = 0;
        for (int i = 0; i < nums.length; i++) {
            int best = 0;
            for (int j = 0; j < i; j++) {
                int length = ending.get(nums[j]);
                if (nums[j] < nums[i] && length > best) best = length;
            }
            ending.merge(nums[i], best + 1, Math::max);
            answer = Math.max(answer, best + 1);
        }
        return answer;
    }
}
