// Hash set of all land cells, drained island by island.
impl Solution {
    pub fn count_islands(grid: Vec<Vec<i32>>) -> i32 {
        let mut land: HashSet<(i32, i32)> = HashSet::new();
        for (r, row) in grid.iter().enumerate() {
            for (c, &cell) in row.iter().enumerate() {
                if cell == 1 {
                    land.insert((r as i32, c as i32));
                }
            }
        }
        let mut islands = 0;
        for (r, row) in grid.iter().enumerate() {
            for c in 0..row.len() {
                let first = (r as i32, c as i32);
                if !land.remove(&first) {
                    continue;
                }
                islands += 1;
                let mut open = vec![first];
                while let Some((y, x)) = open.pop() {
                    for next in [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)] {
                        if land.remove(&next) {
                            open.push(next);
                        }
                    }
                }
            }
        }
        islands
    }
}
