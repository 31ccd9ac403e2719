impl Solution {
    pub fn longest_balanced(s: String) -> i32 {
        
    }
}
