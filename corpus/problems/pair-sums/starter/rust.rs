impl Solution {
    pub fn count_pairs(nums: Vec<i32>, target: i64) -> i64 {
        
    }
}
