// The Rust reference program: a fixed amount of contest-like work, run right beside every
// measurement as the unit of relative time. It reads nothing and prints one checksum line.
// Changing it changes every relative time.
use std::collections::hash_map::DefaultHasher;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

const CELLS: usize = 1 << 18; // 32-bit cells: 1 MiB
const ROUNDS: usize = 7;
const STEPS: u32 = 500_000;
const COUNTS: usize = 80_000;
const KEYS: u32 = 5003;
const SORTED: usize = 40_000;
const MASK: u32 = 0x7fff_ffff;

fn main() {
    let mut cells = vec![0u32; CELLS];
    // the standard hash with fixed keys: a HashMap's own ones are random in every run
    let mut counts: HashMap<u32, u32, BuildHasherDefault<DefaultHasher>> = HashMap::default();
    let mut x: u32 = 12345;
    let mut h: u32 = 0;
    for _ in 0..ROUNDS {
        for i in 0..STEPS {
            x = x.wrapping_mul(1103515245).wrapping_add(12345) & MASK;
            let j = (x >> 9) as usize & (CELLS - 1);
            cells[j] = cells[j].wrapping_mul(3).wrapping_add(x >> 5).wrapping_add(i) & MASK;
        }
        for i in 0..COUNTS {
            let key = cells[i] % KEYS;
            *counts.entry(key).or_insert(0) += 1;
            h = h.wrapping_mul(31).wrapping_add(counts[&key]) & MASK;
        }
        let mut part = cells[..SORTED].to_vec();
        part.sort();
        for value in part {
            h = h.wrapping_mul(31).wrapping_add(value) & MASK;
        }
    }
    println!("{}", h);
}
