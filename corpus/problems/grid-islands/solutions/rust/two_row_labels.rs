// One row of labels at a time; joined labels are kept in an ordered map of replacements.
impl Solution {
    pub fn count_islands(grid: Vec<Vec<i32>>) -> i32 {
        fn top(parent: &mut BTreeMap<i32, i32>, a: i32) -> i32 {
            let mut root = a;
            while let Some(&up) = parent.get(&root) {
                root = up;
            }
            if root != a {
                parent.insert(a, root);
            }
            root
        }
        let mut parent: BTreeMap<i32, i32> = BTreeMap::new();
        let mut label = vec![0; grid[0].len()];
        let mut made = 0;
        let mut islands = 0;
        for row in &grid {
            let mut left = 0;
            for (c, &cell) in row.iter().enumerate() {
                let up = label[c];
                left = if cell == 0 {
                    0
                } else if left == 0 && up == 0 {
                    made += 1;
                    islands += 1;
                    made
                } else if left == 0 || up == 0 {
                    left + up
                } else {
                    let (a, b) = (top(&mut parent, left), top(&mut parent, up));
                    if a != b {
                        parent.insert(a.max(b), a.min(b));
                        islands -= 1;
                    }
                    a.min(b)
                };
                label[c] = left;
            }
        }
        islands
    }
}
