// One pass with a hand-made hash table: linear probing over (value, count) cells.
struct PairTable {
    cells: Vec<(i32, u32)>,
    shift: u32,
}

impl PairTable {
    fn with_room_for(n: usize) -> PairTable {
        let bits = (2 * n).next_power_of_two().trailing_zeros();
        PairTable { cells: vec![(0, 0); 1 << bits], shift: 32 - bits }
    }

    fn slot(&self, x: i32) -> usize {
        let mask = self.cells.len() - 1;
        let mut h = ((x as u32).wrapping_mul(0x9E37_79B1) >> self.shift) as usize;
        while self.cells[h].1 != 0 && self.cells[h].0 != x {
            h = (h + 1) & mask;
        }
        h
    }
}

impl Solution {
    pub fn count_pairs(nums: Vec<i32>, target: i64) -> i64 {
        let mut table = PairTable::with_room_for(nums.len());
        let mut result = 0i64;
        for &x in &nums {
            let partner = target - x as i64;
            if partner.abs() <= 1_000_000_000 {
                result += table.cells[table.slot(partner as i32)].1 as i64;
            }
            let own = table.slot(x);
            table.cells[own] = (x, table.cells[own].1 + 1);
        }
        result
    }
}
