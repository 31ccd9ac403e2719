// Ranks from a hash map over the sorted values, prefix maxima in a Fenwick tree.
impl Solution {
    pub fn longest_rising(nums: Vec<i32>) -> i32 {
        let mut values = nums.clone();
        values.sort();
        values.dedup();
        let rank: HashMap<i32, usize> = values.iter().enumerate().map(|(i, &v)| (v, i)).collect();
        let mut tree = vec![0; values.len() + 1];
        let mut answer = 0;
        for x in nums {
            let r = rank[&x];
            let mut best = 0;
            let mut i = r;
            while i > 0 {
                best = best.max(tree[i]);
                i &= i - 1;
            }
            best += 1;
            answer = answer.max(best);
            i = r + 1;
            while i < tree.len() {
                tree[i] = tree[i].max(best);
                i += i & i.wrapping_neg();
            }
        }
        answer
    }
}
