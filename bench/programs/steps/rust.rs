// Runs the number of steps on standard input, each with arithmetic, a table and a map.
use std::collections::HashMap;

fn main() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    let steps: u32 = line.trim().parse().unwrap();
    let mut cells = vec![0u32; 4096];
    let mut counts: HashMap<u32, u32> = HashMap::new();
    let (mut x, mut h) = (12345u32, 0u32);
    for i in 0..steps {
        x = x.wrapping_mul(1103515245).wrapping_add(12345);
        let cell = &mut cells[(x >> 9 & 4095) as usize];
        *cell = cell.wrapping_mul(3).wrapping_add(x >> 5).wrapping_add(i);
        *counts.entry(*cell % 503).or_insert(0) += 1;
        h = h.wrapping_mul(31).wrapping_add(*cell);
    }
    println!("{} {}", h, counts.len());
}
