// Insert into a treap (split on the key), then walk it in order.
#include <bits/stdc++.h>
using namespace std;

static int read_int() {
    int c = getchar_unlocked();
    while (c != '-' && (c < '0' || c > '9')) c = getchar_unlocked();
    bool negative = c == '-';
    if (negative) c = getchar_unlocked();
    int value = 0;
    for (; c >= '0' && c <= '9'; c = getchar_unlocked()) value = value * 10 + (c - '0');
    return negative ? -value : value;
}

static string read_word() {
    string word;
    int c = getchar_unlocked();
    while (c <= ' ') c = getchar_unlocked();
    for (; c > ' '; c = getchar_unlocked()) word.push_back((char)c);
    return word;
}

struct Node {
    int score, index;
    unsigned priority;
    Node *left, *right;
};

static void split(Node* t, int score, Node*& a, Node*& b) {
    if (!t) {
        a = b = nullptr;
    } else if (t->score >= score) {
        a = t;
        split(t->right, score, a->right, b);
    } else {
        b = t;
        split(t->left, score, a, b->left);
    }
}

static void insert(Node*& t, Node* fresh) {
    if (!t || fresh->priority > t->priority) {
        split(t, fresh->score, fresh->left, fresh->right);
        t = fresh;
    } else {
        insert(t->score >= fresh->score ? t->right : t->left, fresh);
    }
}

static void walk(Node* t, vector<int>& order) {
    if (!t) return;
    walk(t->left, order);
    order.push_back(t->index);
    walk(t->right, order);
}

static vector<int> sort_order(const vector<int>& s) {
    mt19937 random(12345);
    Node* root = nullptr;
    for (int i = 0; i < (int)s.size(); ++i) insert(root, new Node{s[i], i, (unsigned)random(), nullptr, nullptr});
    vector<int> order;
    walk(root, order);
    return order;
}

int main() {
    int n = read_int();
    vector<string> names(n);
    vector<int> scores(n);
    for (int i = 0; i < n; ++i) {
        names[i] = read_word();
        scores[i] = read_int();
    }
    vector<int> order = sort_order(scores);
    string out;
    for (int i = 0; i < n; ++i) {
        int k = order[i];
        out += to_string(i + 1) + " " + string(names[k]) + " " + to_string(scores[k]) + "\n";
    }
    cout << out;
    return 0;
}
