impl Solution {
    pub fn count_islands(grid: Vec<Vec<i32>>) -> i32 {
        
    }
}
