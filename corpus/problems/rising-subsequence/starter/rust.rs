impl Solution {
    pub fn longest_rising(nums: Vec<i32>) -> i32 {
        
    }
}
