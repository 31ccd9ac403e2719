// Sort, then two pointers over runs of equal values.
class Solution {
    public long countPairs(int[] nums, long target) {
        Arrays.sort(nums);
        int i = 0, j = nums.length - 1;
        long result = 0;
        while (i < j) {
            long total = (long) nums[i] + nums[j];
            if (total < target) {
                i++;
            } else if (total > target) {
                j--;
            } else if (nums[i] == nums[j]) {
                long k = j - i + 1;
                result += k * (k - 1) / 2;
                break;
            } else {
                int left = i, right = j;
                while (nums[i] == nums[left]) i++;
                while (nums[j] == nums[right]) j--;
                result += (long) (i - left) * (right - j);
            }
        }
        return result;
    }
}
