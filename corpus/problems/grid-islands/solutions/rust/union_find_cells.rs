// Union-find over all cells, sizes kept for balance.
struct Forest {
    parent: Vec<usize>,
    size: Vec<u32>,
}

impl Forest {
    fn new(n: usize) -> Self {
        Forest { parent: (0..n).collect(), size: vec![1; n] }
    }

    fn find(&mut self, mut a: usize) -> usize {
        while self.parent[a] != a {
            self.parent[a] = self.parent[self.parent[a]];
            a = self.parent[a];
        }
        a
    }

    fn join(&mut self, a: usize, b: usize) -> i32 {
        let (mut a, mut b) = (self.find(a), self.find(b));
        if a == b {
            return 0;
        }
        if self.size[a] < self.size[b] {
            std::mem::swap(&mut a, &mut b);
        }
        self.parent[b] = a;
        self.size[a] += self.size[b];
        1
    }
}

impl Solution {
    pub fn count_islands(grid: Vec<Vec<i32>>) -> i32 {
        let (rows, cols) = (grid.len(), grid[0].len());
        let mut forest = Forest::new(rows * cols);
        let mut islands = 0;
        for r in 0..rows {
            for c in 0..cols {
                if grid[r][c] == 0 {
                    continue;
                }
                islands += 1;
                let id = r * cols + c;
                if r > 0 && grid[r - 1][c] == 1 {
                    islands -= forest.join(id - cols, id);
                }
                if c > 0 && grid[r][c - 1] == 1 {
                    islands -= forest.join(id - 1, id);
                }
            }
        }
        islands
    }
}
