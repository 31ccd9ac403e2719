// Runs of land per row; union-find over the runs, overlap found by two pointers.
impl Solution {
    pub fn count_islands(grid: Vec<Vec<i32>>) -> i32 {
        fn find(parent: &mut [u32], mut a: u32) -> u32 {
            while parent[a as usize] != a {
                let up = parent[parent[a as usize] as usize];
                parent[a as usize] = up;
                a = up;
            }
            a
        }
        let mut parent: Vec<u32> = Vec::new();
        let mut above: Vec<(usize, usize, u32)> = Vec::new();
        let mut runs: Vec<(usize, usize, u32)> = Vec::new();
        let mut islands = 0;
        for row in &grid {
            runs.clear();
            let mut c = 0;
            while c < row.len() {
                if row[c] == 0 {
                    c += 1;
                    continue;
                }
                let from = c;
                while c < row.len() && row[c] == 1 {
                    c += 1;
                }
                let id = parent.len() as u32;
                parent.push(id);
                runs.push((from, c, id));
            }
            islands += runs.len() as i32;
            let (mut i, mut j) = (0, 0);
            while i < above.len() && j < runs.len() {
                let (a, b) = (above[i], runs[j]);
                if a.0 < b.1 && b.0 < a.1 {
                    let x = find(&mut parent, a.2);
                    let y = find(&mut parent, b.2);
                    if x != y {
                        parent[y as usize] = x;
                        islands -= 1;
                    }
                }
                if a.1 < b.1 {
                    i += 1;
                } else {
                    j += 1;
                }
            }
            std::mem::swap(&mut above, &mut runs);
        }
        islands
    }
}
