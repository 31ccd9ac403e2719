// A tree from value to the list of its indices; sizes of complementary lists are multiplied.
class Solution {
public:
    long long countPairs(vector<int>& nums, long long target) {
        map<long long, vector<int>> where;
        for (int i = 0; i < (int)nums.size(); i++) where[nums[i]].push_back(i);
        long long result = 0;
        for (auto& entry : where) {
            long long partner = target - entry.first;
            if (partner < entry.first) break;
            long long size = entry.second.size();
            if (partner == entry.first) {
                result += size * (size - 1) / 2;
            } else {
                auto it = where.find(partner);
                if (it != where.end()) result += size * (long long)it->second.size();
            }
        }
        return result;
    }
};
