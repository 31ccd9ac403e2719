// Compressed rows of u32, bytes parsed by hand, free tasks on a stack.
use std::io::{self, Read, Write};

struct Input {
    data: Vec<u8>,
    at: usize,
}

impl Input {
    fn next(&mut self) -> usize {
        while self.data[self.at] < b'0' {
            self.at += 1;
        }
        let mut v = 0;
        while self.at < self.data.len() && self.data[self.at] >= b'0' {
            v = v * 10 + (self.data[self.at] - b'0') as usize;
            self.at += 1;
        }
        v
    }
}

fn main() {
    let mut input = Input { data: Vec::new(), at: 0 };
    io::stdin().read_to_end(&mut input.data).unwrap();
    let n = input.next();
    let m = input.next();
    let mut edges: Vec<(u32, u32)> = Vec::with_capacity(m);
    let mut first = vec![0u32; n + 2];
    let mut need = vec![0u32; n + 1];
    for _ in 0..m {
        let a = input.next();
        let b = input.next();
        edges.push((a as u32, b as u32));
        first[a] += 1;
        need[b] += 1;
    }
    for v in 1..n + 2 {
        first[v] += first[v - 1];
    }
    let mut to = vec![0u32; m];
    for &(a, b) in &edges {
        first[a as usize] -= 1;
        to[first[a as usize] as usize] = b;
    }
    let mut stack: Vec<usize> = (1..=n).filter(|&v| need[v] == 0).collect();
    let mut count = 0;
    let mut out: Vec<u8> = Vec::with_capacity(6 * n + 1);
    while let Some(v) = stack.pop() {
        if count > 0 {
            out.push(b' ');
        }
        write!(out, "{}", v).unwrap();
        count += 1;
        for &w in &to[first[v] as usize..first[v + 1] as usize] {
            need[w as usize] -= 1;
            if need[w as usize] == 0 {
                stack.push(w as usize);
            }
        }
    }
    if count < n {
        out = b"IMPOSSIBLE".to_vec();
    }
    out.push(b'\n');
    io::stdout().write_all(&out).unwrap();
}
