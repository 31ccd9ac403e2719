// A BinaryHeap of (score, reversed index, name), drained into one string.
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text).unwrap();
    let mut heap = BinaryHeap::new();
    for (i, line) in text.lines().skip(1).enumerate() {
        if let Some((name, score)) = line.split_once(' ') {
            heap.push((score.trim().parse::<i32>().unwrap(), Reverse(i), name.to_owned()));
        }
    }
    let mut out = String::new();
    let mut place = 1;
    while let Some((score, _, name)) = heap.pop() {
        out += &format!("{} {} {}\n", place, name, score);
        place += 1;
    }
    print!("{}", out);
}
