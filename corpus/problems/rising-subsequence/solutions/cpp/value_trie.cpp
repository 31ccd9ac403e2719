// Binary trie over the bits of the shifted value, one heap node per prefix, each with the
// best length below it. Smaller values hang to the left of the path of x.
class Solution {
    struct Node {
        int best = 0;
        Node* child[2] = {nullptr, nullptr};
    };

public:
    int longestRising(vector<int>& nums) {
        Node* root = new Node();
        for (int x : nums) {
            int key = x + 1000000000;
            int best = 0;
            Node* at = root;
            for (int b = 30; b >= 0 && at; --b) {
                int bit = key >> b & 1;
                if (bit && at->child[0]) best = max(best, at->child[0]->best);
                at = at->child[bit];
            }
            ++best;
            at = root;
            at->best = max(at->best, best);
            for (int b = 30; b >= 0; --b) {
                Node*& next = at->child[key >> b & 1];
                if (!next) next = new Node();
                at = next;
                at->best = max(at->best, best);
            }
        }
        return root->best;
    }
};
