class Solution {
public:
    vector<int> addTo(vector<int>& values, int amount) {
        for (int& value : values) value += amount;
        return values;
    }
};
