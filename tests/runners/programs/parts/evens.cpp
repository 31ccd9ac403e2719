class Solution {
public:
    int solve(vector<int>& nums) {
        int kept = 0;
        for (int n : nums)
            if (n % 2 == 0) nums[kept++] = n;
        return kept;
    }
};
