// Frequencies in a BTreeMap; the table is read forwards and backwards at the same time.
use std::collections::BTreeMap;

impl Solution {
    pub fn count_pairs(nums: Vec<i32>, target: i64) -> i64 {
        let mut counts: BTreeMap<i64, i64> = BTreeMap::new();
        for &x in &nums {
            *counts.entry(x as i64).or_default() += 1;
        }
        let mut descending = counts.iter().rev().peekable();
        let mut ordered = 0;
        for (x, c) in &counts {
            while let Some((y, _)) = descending.peek() {
                if x + **y > target {
                    descending.next();
                } else {
                    break;
                }
            }
            match descending.peek() {
                Some((y, d)) if x + **y == target => {
                    ordered += if x == *y { c * (c - 1) } else { c * **d };
                }
                Some(_) => {}
                None => break,
            }
        }
        ordered / 2
    }
}
