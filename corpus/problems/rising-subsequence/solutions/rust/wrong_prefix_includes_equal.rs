// Ranks and a Fenwick tree of prefix maxima.
impl Solution {
    pub fn longest_rising(nums: Vec<i32>) -> i32 {
        let mut values = nums.clone();
        values.sort_unstable();
        values.dedup();
        let mut tree = vec![0; values.len() + 1];
        let mut answer = 0;
        for x in nums {
            let r = values.binary_search(&x).unwrap() + 1;
            let mut best = 0;
            let mut i = r;
            while i > 0 {
                best = best.max(tree[i]);
                i &= i - 1;
            }
            best += 1;
            answer = answer.max(best);
            i = r;
            while i < tree.len() {
                tree[i] = tree[i].max(best);
                i += i & i.wrapping_neg();
            }
        }
        answer
    }
}
