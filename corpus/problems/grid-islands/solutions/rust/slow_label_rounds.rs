// Labels spread by one cell per round; ends when a round changes nothing.
impl Solution {
    pub fn count_islands(grid: Vec<Vec<i32>>) -> i32 {
        let (rows, cols) = (grid.len(), grid[0].len());
        let mut label = vec![vec![0usize; cols]; rows];
        for r in 0..rows {
            for c in 0..cols {
                if grid[r][c] == 1 {
                    label[r][c] = r * cols + c + 1;
                }
            }
        }
        loop {
            let mut changed = false;
            let old = label.clone();
            for r in 0..rows {
                for c in 0..cols {
                    if old[r][c] == 0 {
                        continue;
                    }
                    let mut most = old[r][c];
                    if r > 0 {
                        most = most.max(old[r - 1][c]);
                    }
                    if c > 0 {
                        most = most.max(old[r][c - 1]);
                    }
                    if r + 1 < rows {
                        most = most.max(old[r + 1][c]);
                    }
                    if c + 1 < cols {
                        most = most.max(old[r][c + 1]);
                    }
                    if most != old[r][c] {
                        label[r][c] = most;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let kept: HashSet<usize> = label.into_iter().flatten().filter(|&v| v > 0).collect();
        kept.len() as i32
    }
}
