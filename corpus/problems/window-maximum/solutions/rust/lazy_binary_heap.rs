// BinaryHeap of (value, index), stale tops dropped late.
use std::collections::BinaryHeap;
use std::io::{self, BufRead, BufWriter, Write};

fn main() {
    let stdin = io::stdin();
    let mut lines = stdin.lock().lines();
    let first = lines.next().unwrap().unwrap();
    let nk: Vec<usize> = first.split(' ').map(|t| t.trim().parse().unwrap()).collect();
    let second = lines.next().unwrap().unwrap();
    let mut out = BufWriter::new(io::stdout());
    let mut heap = BinaryHeap::new();
    for (i, t) in second.split_whitespace().enumerate() {
        let x: i32 = t.parse().unwrap();
        heap.push((x, i));
        while heap.peek().unwrap().1 + nk[1] <= i {
            heap.pop();
        }
        if i + 1 >= nk[1] {
            write!(out, "{} ", heap.peek().unwrap().0).unwrap();
        }
    }
    writeln!(out).unwrap();
}
