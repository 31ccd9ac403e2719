// All ordered pairs by two nested walks over a linked list.
class Solution {
public:
    long long countPairs(vector<int>& nums, long long target) {
        list<int> items(nums.begin(), nums.end());
        long long ordered = 0;
        for (auto i = items.begin(); i != items.end(); ++i)
            for (auto j = items.begin(); j != items.end(); ++j)
                if (i != j && (long long)*i + *j == target) ordered++;
        return ordered / 2;
    }
};
