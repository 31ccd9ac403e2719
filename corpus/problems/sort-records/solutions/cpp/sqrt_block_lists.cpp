// A list of sorted blocks; insert by binary search, split a block that grows too long.
#include <bits/stdc++.h>
using namespace std;

static vector<uint64_t> pack(const vector<int>& s) {
    vector<uint64_t> keys(s.size());
    for (size_t i = 0; i < s.size(); ++i) keys[i] = (uint64_t)(1000000000LL - s[i]) << 16 | i;
    return keys;
}

static vector<int> unpack(const vector<uint64_t>& keys) {
    vector<int> order(keys.size());
    for (size_t i = 0; i < keys.size(); ++i) order[i] = (int)(keys[i] & 0xffff);
    return order;
}

static vector<int> sort_order(const vector<int>& s) {
    const size_t LIMIT = 512;
    vector<vector<uint64_t>> blocks(1);
    for (uint64_t key : pack(s)) {
        size_t b = upper_bound(blocks.begin() + 1, blocks.end(), key,
                               [](uint64_t k, const vector<uint64_t>& block) { return k < block[0]; }) - blocks.begin() - 1;
        auto& block = blocks[b];
        block.insert(lower_bound(block.begin(), block.end(), key), key);
        if (block.size() > LIMIT) {
            vector<uint64_t> tail(block.begin() + LIMIT / 2, block.end());
            block.resize(LIMIT / 2);
            blocks.insert(blocks.begin() + b + 1, tail);
        }
    }
    vector<uint64_t> all;
    for (auto& block : blocks) all.insert(all.end(), block.begin(), block.end());
    return unpack(all);
}

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    vector<string> names(n);
    vector<int> scores(n);
    for (int i = 0; i < n; ++i) cin >> names[i] >> scores[i];
    vector<int> order = sort_order(scores);
    string chunk;
    for (int i = 0; i < n; ++i) {
        char row[48];
        int length = snprintf(row, sizeof row, "%d %.*s %d\n", i + 1, (int)names[order[i]].size(), names[order[i]].data(), scores[order[i]]);
        chunk.append(row, length);
        if (chunk.size() > 4000) {
            fwrite(chunk.data(), 1, chunk.size(), stdout);
            chunk.clear();
        }
    }
    fwrite(chunk.data(), 1, chunk.size(), stdout);
    return 0;
}
