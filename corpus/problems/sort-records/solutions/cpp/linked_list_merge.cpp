// A linked list of heap-allocated records, merge sorted by relinking.
#include <bits/stdc++.h>
using namespace std;

struct Node {
    string name;
    int score;
    unique_ptr<Node> next;
};

static Node* merge_lists(Node* a, Node* b) {
    unique_ptr<Node> head;
    unique_ptr<Node>* tail = &head;
    while (a && b) {
        Node*& source = a->score >= b->score ? a : b;
        Node* taken = source;
        source = taken->next.release();
        tail->reset(taken);
        tail = &taken->next;
    }
    tail->reset(a ? a : b);
    return head.release();
}

static Node* sort_list(Node* head, int length) {
    if (length < 2) return head;
    Node* cut = head;
    for (int i = 1; i < length / 2; ++i) cut = cut->next.get();
    Node* second = cut->next.release();
    return merge_lists(sort_list(head, length / 2), sort_list(second, length - length / 2));
}

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    Node* head = nullptr;
    Node* last = nullptr;
    for (int i = 0; i < n; ++i) {
        Node* node = new Node;
        cin >> node->name >> node->score;
        if (last) last->next.reset(node);
        else head = node;
        last = node;
    }
    head = sort_list(head, n);
    int place = 0;
    while (head) {
        cout << ++place << ' ' << head->name << ' ' << head->score << endl;
        Node* next = head->next.release();
        delete head;
        head = next;
    }
}
