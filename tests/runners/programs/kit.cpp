#include <vector>
#define S second
#define all(x) (x).begin(), (x).end()
class Kit {
    long long sum;
    int depthOf(int n, int done) { return n == 0 ? done : depthOf(n - 1, done + 1) + 0 * n; }
public:
    Kit(int start) {
        sum = start;
    }
    void add(long long x) { sum += x; }
    long long total() const { return sum; }
    void sortValues(vector<int>& nums) { sort(all(nums)); }
    ListNode* reversedList(ListNode* head) {
        ListNode* last = nullptr;
        while (head) {
            ListNode* next = head->next;
            head->next = last;
            last = head;
            head = next;
        }
        return last;
    }
    TreeNode* mirrored(TreeNode* root) {
        queue<TreeNode*> nodes;
        if (root) nodes.push(root);
        for (; !nodes.empty(); nodes.pop()) {
            TreeNode* node = nodes.front();
            swap(node->left, node->right);
            if (node->left) nodes.push(node->left);
            if (node->right) nodes.push(node->right);
        }
        return root;
    }
    int depthOf(int n) { return depthOf(n, 0); }
    string noisy(const string& s) {
        cout << s << endl;
        printf("[1,2]\n");
        return s + s;
    }
};
