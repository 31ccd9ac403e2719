// Positions in value order are split by time; the earlier half is finished first and its
// lengths are swept into the later half.
fn carry(nums: &[i32], best: &mut [i32], order: Vec<usize>, lo: usize, hi: usize) {
    if hi - lo < 2 {
        return;
    }
    let mid = (lo + hi) / 2;
    let (early, late): (Vec<usize>, Vec<usize>) = order.into_iter().partition(|&i| i < mid);
    carry(nums, best, early.clone(), lo, mid);
    let mut k = 0;
    let mut carried = 0;
    for &i in &late {
        while k < early.len() && nums[early[k]] < nums[i] {
            carried = carried.max(best[early[k]]);
            k += 1;
        }
        best[i] = best[i].max(carried + 1);
    }
    drop(early);
    carry(nums, best, late, mid, hi);
}

impl Solution {
    pub fn longest_rising(nums: Vec<i32>) -> i32 {
        let n = nums.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&i| nums[i]);
        let mut best = vec![1; n];
        carry(&nums, &mut best, order, 0, n);
        best.into_iter().max().unwrap_or(0)
    }
}
