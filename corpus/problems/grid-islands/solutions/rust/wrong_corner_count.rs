// Counts the cells that have land neither above nor to the left.
impl Solution {
    pub fn count_islands(grid: Vec<Vec<i32>>) -> i32 {
        let mut islands = 0;
        for r in 0..grid.len() {
            for c in 0..grid[r].len() {
                let up = r > 0 && grid[r - 1][c] == 1;
                let left = c > 0 && grid[r][c - 1] == 1;
                if grid[r][c] == 1 && !up && !left {
                    islands += 1;
                }
            }
        }
        islands
    }
}
