// Dijkstra with a radix heap over a forward star.
use std::io::{self, Read, Write};

struct RadixHeap {
    buckets: Vec<Vec<(u64, u32)>>,
    last: u64,
    held: usize,
}

impl RadixHeap {
    fn new() -> RadixHeap {
        RadixHeap { buckets: vec![Vec::new(); 65], last: 0, held: 0 }
    }

    fn slot(&self, key: u64) -> usize {
        64 - (key ^ self.last).leading_zeros() as usize
    }

    fn push(&mut self, key: u64, node: u32) {
        let s = self.slot(key);
        self.buckets[s].push((key, node));
        self.held += 1;
    }

    fn pop(&mut self) -> Option<(u64, u32)> {
        if self.held == 0 {
            return None;
        }
        if self.buckets[0].is_empty() {
            let k = self.buckets.iter().position(|b| !b.is_empty()).unwrap();
            let moved = std::mem::take(&mut self.buckets[k]);
            self.last = moved.iter().map(|e| e.0).min().unwrap();
            for e in moved {
                let s = self.slot(e.0);
                self.buckets[s].push(e);
            }
        }
        self.held -= 1;
        self.buckets[0].pop()
    }
}

fn main() {
    let mut text = Vec::new();
    io::stdin().lock().read_to_end(&mut text).unwrap();
    let mut words = text.split(|c| *c <= b' ').filter(|w| !w.is_empty()).map(|w| {
        w.iter().fold(0usize, |x, c| x * 10 + (*c - b'0') as usize)
    });
    let n = words.next().unwrap();
    let m = words.next().unwrap();
    let none = usize::MAX;
    let mut first = vec![none; n + 1];
    let mut next = vec![none; m];
    let mut to = vec![0usize; m];
    let mut length = vec![0u64; m];
    for e in 0..m {
        let a = words.next().unwrap();
        to[e] = words.next().unwrap();
        length[e] = words.next().unwrap() as u64;
        next[e] = first[a];
        first[a] = e;
    }
    let mut dist = vec![u64::MAX; n + 1];
    let mut heap = RadixHeap::new();
    dist[1] = 0;
    heap.push(0, 1);
    while let Some((d, v)) = heap.pop() {
        if d != dist[v as usize] {
            continue;
        }
        let mut e = first[v as usize];
        while e != none {
            let t = d + length[e];
            if t < dist[to[e]] {
                dist[to[e]] = t;
                heap.push(t, to[e] as u32);
            }
            e = next[e];
        }
    }
    let mut out = String::with_capacity(12 * n);
    for v in 1..=n {
        if v > 1 {
            out.push(' ');
        }
        if dist[v] == u64::MAX {
            out.push_str("-1");
        } else {
            out.push_str(&dist[v].to_string());
        }
    }
    out.push('\n');
    io::stdout().write_all(out.as_bytes()).unwrap();
}
