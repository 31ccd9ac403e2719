// Flood fill with a stack of coordinates, sinking cells of the grid.
impl Solution {
    pub fn count_islands(grid: Vec<Vec<i32>>) -> i32 {
        let mut grid = grid;
        let (rows, cols) = (grid.len(), grid[0].len());
        let mut islands = 0;
        let mut stack: Vec<(usize, usize)> = Vec::new();
        for r in 0..rows {
            for c in 0..cols {
                if grid[r][c] == 0 {
                    continue;
                }
                islands += 1;
                grid[r][c] = 0;
                stack.push((r, c));
                while let Some((y, x)) = stack.pop() {
                    let around = [
                        (y.wrapping_sub(1), x),
                        (y + 1, x),
                        (y, x.wrapping_sub(1)),
                        (y, x + 1),
                    ];
                    for &(v, u) in around.iter() {
                        if v < rows && u < cols && grid[v][u] == 1 {
                            grid[v][u] = 0;
                            stack.push((v, u));
                        }
                    }
                }
            }
        }
        islands
    }
}
