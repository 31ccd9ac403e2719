// Follows every shore with the land to the right; the outer shore of an island turns right
// in total, the shore of a hole turns left.
impl Solution {
    pub fn count_islands(grid: Vec<Vec<i32>>) -> i32 {
        let width = grid[0].len() + 2;
        let mut land = vec![false; (grid.len() + 2) * width];
        for (r, row) in grid.iter().enumerate() {
            for (c, &cell) in row.iter().enumerate() {
                land[(r + 1) * width + c + 1] = cell == 1;
            }
        }
        let mut done = vec![false; land.len()];
        let step = [1isize, width as isize, -1, -(width as isize)];
        let mut islands = 0;
        for start in width..land.len() - width {
            if !land[start] || land[start - width] || done[start] {
                continue;
            }
            let (mut cell, mut d, mut turns) = (start, 0usize, 0);
            loop {
                if d == 0 {
                    done[cell] = true;
                }
                let left = (d + 3) % 4;
                let front = (cell as isize + step[d]) as usize;
                let side = (front as isize + step[left]) as usize;
                if !land[front] {
                    d = (d + 1) % 4;
                    turns += 1;
                } else if land[side] {
                    cell = side;
                    d = left;
                    turns -= 1;
                } else {
                    cell = front;
                }
                if cell == start && d == 0 {
                    break;
                }
            }
            if turns > 0 {
                islands += 1;
            }
        }
        islands
    }
}
