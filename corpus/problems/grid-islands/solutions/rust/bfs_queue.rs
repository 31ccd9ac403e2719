// Breadth-first search over a VecDeque with a separate table of seen cells.
impl Solution {
    pub fn count_islands(grid: Vec<Vec<i32>>) -> i32 {
        let (rows, cols) = (grid.len() as i64, grid[0].len() as i64);
        let mut seen = vec![vec![false; cols as usize]; rows as usize];
        let mut islands = 0;
        for r in 0..rows {
            for c in 0..cols {
                if grid[r as usize][c as usize] == 0 || seen[r as usize][c as usize] {
                    continue;
                }
                islands += 1;
                seen[r as usize][c as usize] = true;
                let mut queue: VecDeque<(i64, i64)> = VecDeque::new();
                queue.push_back((r, c));
                while let Some((y, x)) = queue.pop_front() {
                    for (dy, dx) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
                        let (v, u) = (y + dy, x + dx);
                        if v < 0 || u < 0 || v >= rows || u >= cols {
                            continue;
                        }
                        if grid[v as usize][u as usize] == 1 && !seen[v as usize][u as usize] {
                            seen[v as usize][u as usize] = true;
                            queue.push_back((v, u));
                        }
                    }
                }
            }
        }
        islands
    }
}
