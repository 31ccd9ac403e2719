// Segment tree over the whole value range whose nodes are created when first needed.
class Solution {
    private static class Node {
        int best;
        Node left, right;
    }

    private long wanted;

    public int longestRising(int[] nums) {
        Node root = new Node();
        for (int x : nums) {
            wanted = x;
            int length = below(root, -1000000000L, 1000000000L) + 1;
            put(root, -1000000000L, 1000000000L, length);
        }
        return root.best;
    }

    private int below(Node node, long lo, long hi) {
        if (node == null || lo >= wanted) return 0;
        if (hi < wanted) return node.best;
        long mid = Math.floorDiv(lo + hi, 2L);
        return Math.max(below(node.left, lo, mid), below(node.right, mid + 1, hi));
    }

    private void put(Node node, long lo, long hi, int length) {
        node.best = Math.max(node.best, length);
        if (lo == hi) return;
        long mid = Math.floorDiv(lo + hi, 2L);
        if (wanted <= mid) {
            if (node.left == null) node.left = new Node();
            put(node.left, lo, mid, length);
        } else {
            if (node.right == null) node.right = new Node();
            put(node.right, mid + 1, hi, length);
        }
    }
}
