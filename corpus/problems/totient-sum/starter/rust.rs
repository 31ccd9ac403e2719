impl Solution {
    pub fn totient_sum(n: i32) -> i64 {
        
    }
}
