// Dijkstra over compressed rows with an indexed 4-ary heap that stores keys next to nodes.
use std::io::{self, Read, Write};

struct Heap {
    cells: Vec<(u64, u32)>,
    place: Vec<u32>,
}

impl Heap {
    fn up(&mut self, mut i: usize, cell: (u64, u32)) {
        while i > 0 {
            let p = (i - 1) / 4;
            if self.cells[p].0 <= cell.0 {
                break;
            }
            self.cells[i] = self.cells[p];
            self.place[self.cells[i].1 as usize] = i as u32;
            i = p;
        }
        self.cells[i] = cell;
        self.place[cell.1 as usize] = i as u32;
    }

    fn lower(&mut self, cell: (u64, u32)) {
        let p = self.place[cell.1 as usize];
        if p == u32::MAX {
            self.cells.push(cell);
            self.up(self.cells.len() - 1, cell);
        } else {
            self.up(p as usize, cell);
        }
    }

    fn pop(&mut self) -> Option<(u64, u32)> {
        let tail = self.cells.pop()?;
        if self.cells.is_empty() {
            return Some(tail);
        }
        let top = self.cells[0];
        let n = self.cells.len();
        let mut i = 0;
        loop {
            let c = 4 * i + 1;
            if c >= n {
                break;
            }
            let mut best = c;
            for k in c + 1..(c + 4).min(n) {
                if self.cells[k].0 < self.cells[best].0 {
                    best = k;
                }
            }
            if self.cells[best].0 >= tail.0 {
                break;
            }
            self.cells[i] = self.cells[best];
            self.place[self.cells[i].1 as usize] = i as u32;
            i = best;
        }
        self.cells[i] = tail;
        self.place[tail.1 as usize] = i as u32;
        Some(top)
    }
}

fn main() {
    let mut text = Vec::with_capacity(1 << 20);
    io::stdin().lock().read_to_end(&mut text).unwrap();
    let mut pos = 0;
    let mut number = || {
        while text[pos] < b'0' {
            pos += 1;
        }
        let mut x = 0u32;
        while pos < text.len() && text[pos] >= b'0' {
            x = x * 10 + (text[pos] - b'0') as u32;
            pos += 1;
        }
        x
    };
    let n = number() as usize;
    let m = number() as usize;
    let mut raw = Vec::with_capacity(m);
    let mut start = vec![0u32; n + 2];
    for _ in 0..m {
        let road = (number(), number(), number());
        start[road.0 as usize] += 1;
        raw.push(road);
    }
    for v in 1..n + 2 {
        start[v] += start[v - 1];
    }
    let mut rows = vec![(0u32, 0u32); m];
    for &(a, b, w) in &raw {
        start[a as usize] -= 1;
        rows[start[a as usize] as usize] = (b, w);
    }
    let mut dist = vec![u64::MAX; n + 1];
    let mut heap = Heap { cells: Vec::with_capacity(n), place: vec![u32::MAX; n + 1] };
    dist[1] = 0;
    heap.lower((0, 1));
    while let Some((d, v)) = heap.pop() {
        let v = v as usize;
        for &(u, w) in &rows[start[v] as usize..start[v + 1] as usize] {
            let t = d + w as u64;
            if t < dist[u as usize] {
                dist[u as usize] = t;
                heap.lower((t, u));
            }
        }
    }
    let mut out = Vec::with_capacity(12 * n);
    for v in 1..=n {
        if dist[v] == u64::MAX {
            out.extend_from_slice(b"-1");
        } else {
            write!(out, "{}", dist[v]).unwrap();
        }
        out.push(if v == n { b'\n' } else { b' ' });
    }
    io::stdout().write_all(&out).unwrap();
}
