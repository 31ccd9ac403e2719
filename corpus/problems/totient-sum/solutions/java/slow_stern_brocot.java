// Visits every reduced fraction in (0, 1) with denominator at most n in the Stern-Brocot
// tree; only denominators are kept, on an explicit stack.
class Solution {
    public long totientSum(int n) {
        int[] right = new int[n + 2];
        int top = 0, left = 1;
        right[top++] = 1;
        long count = 1;
        while (top > 0) {
            int middle = left + right[top - 1];
            if (middle <= n) {
                right[top++] = middle;
                count++;
            } else {
                left = right[--top];
            }
        }
        return count;
    }
}
