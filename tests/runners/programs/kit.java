import java.util.List;

class Kit {
    private long sum;

    public Kit(int start) {
        sum = start;
    }

    public void add(long x) {
        sum += x;
    }

    public long total() {
        return sum;
    }

    public void sortValues(List<Integer> nums) {
        Collections.sort(nums);
    }

    public ListNode reversedList(ListNode head) {
        ListNode last = null;
        while (head != null) {
            ListNode next = head.next;
            head.next = last;
            last = head;
            head = next;
        }
        return last;
    }

    public TreeNode mirrored(TreeNode root) {
        Deque<TreeNode> nodes = new ArrayDeque<>();
        if (root != null) nodes.add(root);
        while (!nodes.isEmpty()) {
            TreeNode node = nodes.poll();
            TreeNode left = node.left;
            node.left = node.right;
            node.right = left;
            if (node.left != null) nodes.add(node.left);
            if (node.right != null) nodes.add(node.right);
        }
        return root;
    }

    private int depthOf(long n) {
        return 1 + depthOf((int) n);
    }

    public int depthOf(int n) {
        return n == 0 ? 0 : depthOf(n - 1L);
    }

    public String noisy(String s) {
        System.out.println(s);
        System.out.println("[1,2]");
        return s + s;
    }
}
