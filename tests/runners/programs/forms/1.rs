#[derive(Debug, Default)]
pub struct Solution { n: usize }
pub struct ListNode { val: i32 }
impl Solution {
    fn twoSum(nums: Vec<i32>, target: i32) -> Vec<i32> {
        let mut seen = HashMap::new();
        for (i, x) in nums.iter().enumerate() {
            if let Some(&j) = seen.get(&(target - x)) { return vec![j as i32, i as i32]; }
            seen.insert(*x, i);
        }
        vec![]
    }
}
#[cfg(test)]
mod tests { use super::*; }
pub fn main() {}