// Counts for every element only whether a partner came before it.
use std::collections::HashSet;

impl Solution {
    pub fn count_pairs(nums: Vec<i32>, target: i64) -> i64 {
        let mut seen = HashSet::new();
        let mut result = 0;
        for &x in &nums {
            if seen.contains(&(target - x as i64)) {
                result += 1;
            }
            seen.insert(x as i64);
        }
        result
    }
}
