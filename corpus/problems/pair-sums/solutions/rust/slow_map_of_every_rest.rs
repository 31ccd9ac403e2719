// For every index, builds a map of the values behind it and looks the partner up.
use std::collections::BTreeMap;

impl Solution {
    pub fn count_pairs(nums: Vec<i32>, target: i64) -> i64 {
        let mut result = 0;
        for i in 0..nums.len() {
            let mut counts: BTreeMap<i64, i64> = BTreeMap::new();
            for &y in &nums[i + 1..] {
                *counts.entry(y as i64).or_insert(0) += 1;
            }
            result += counts.get(&(target - nums[i] as i64)).copied().unwrap_or(0);
        }
        result
    }
}
