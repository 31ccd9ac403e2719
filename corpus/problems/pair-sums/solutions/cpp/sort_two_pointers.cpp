// Sort in place, then two pointers over runs of equal values.
class Solution {
public:
    long long countPairs(vector<int>& nums, long long target) {
        sort(nums.begin(), nums.end());
        size_t i = 0, j = nums.size() - 1;
        long long result = 0;
        while (i < j) {
            long long total = (long long)nums[i] + nums[j];
            if (total < target) {
                i++;
            } else if (total > target) {
                j--;
            } else if (nums[i] == nums[j]) {
                long long k = j - i + 1;
                return result + k * (k - 1) / 2;
            } else {
                long long left = 1, right = 1;
                while (nums[i + left] == nums[i]) left++;
                while (nums[j - right] == nums[j]) right++;
                result += left * right;
                i += left;
                j -= right;
            }
        }
        return result;
    }
};
