// One pass with a hand-made table of fixed size: linear probing, multiplicative hash.
class Solution {
    static const int BITS = 18;
    struct Cell {
        int value, count;
    };
    vector<Cell> table;

    Cell& cell(int x) {
        unsigned h = ((unsigned)x * 2654435769u) >> (32 - BITS);
        while (table[h].count && table[h].value != x) h = (h + 1) & ((1u << BITS) - 1);
        return table[h];
    }

public:
    long long countPairs(vector<int>& nums, long long target) {
        table.assign(1 << BITS, Cell{0, 0});
        long long result = 0;
        for (int x : nums) {
            long long partner = target - x;
            if (partner >= -1000000000 && partner <= 1000000000) result += cell((int)partner).count;
            Cell& own = cell(x);
            own.value = x;
            own.count++;
        }
        return result;
    }
};
