// One pass with the standard hash map of the values seen so far.
use std::collections::HashMap;

impl Solution {
    pub fn count_pairs(nums: Vec<i32>, target: i64) -> i64 {
        let mut seen: HashMap<i64, i64> = HashMap::new();
        let mut result = 0;
        for x in nums {
            let x = x as i64;
            result += seen.get(&(target - x)).copied().unwrap_or(0);
            *seen.entry(x).or_insert(0) += 1;
        }
        result
    }
}
