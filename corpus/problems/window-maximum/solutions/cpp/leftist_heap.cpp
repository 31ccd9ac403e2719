// Mergeable leftist heap of nodes; stale roots are removed by merging their children.
#include <cstdio>
#include <utility>

struct Node {
    int value, index, rank;
    Node *left, *right;
};

static Node* merge(Node* a, Node* b) {
    if (!a) return b;
    if (!b) return a;
    if (a->value < b->value) std::swap(a, b);
    a->right = merge(a->right, b);
    if (!a->left || a->left->rank < a->right->rank) std::swap(a->left, a->right);
    a->rank = a->right ? a->right->rank + 1 : 1;
    return a;
}

int main() {
    int n, k;
    if (scanf("%d %d", &n, &k) != 2) return 1;
    Node* root = nullptr;
    for (int i = 0; i < n; i++) {
        int x;
        if (scanf("%d", &x) != 1) return 1;
        root = merge(root, new Node{x, i, 1, nullptr, nullptr});
        while (root->index <= i - k) {
            Node* old = root;
            root = merge(root->left, root->right);
            delete old;
        }
        if (i >= k - 1) printf("%d ", root->value);
    }
    printf("\n");
}
