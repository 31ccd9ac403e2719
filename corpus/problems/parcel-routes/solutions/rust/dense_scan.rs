// Dijkstra without a queue: the nearest open node is found by a scan over all of them.
use std::io::{self, BufRead};

struct Node {
    dist: Option<u64>,
    closed: bool,
    roads: Vec<(usize, u64)>,
}

fn main() {
    let mut input = io::stdin().lock().lines().map(|l| l.unwrap());
    let head: Vec<usize> = input.next().unwrap().split(' ').map(|x| x.parse().unwrap()).collect();
    let mut nodes: Vec<Node> = (0..head[0]).map(|_| Node { dist: None, closed: false, roads: vec![] }).collect();
    for line in input.take(head[1]) {
        let mut it = line.split(' ');
        let a: usize = it.next().unwrap().parse().unwrap();
        let b: usize = it.next().unwrap().parse().unwrap();
        let w: u64 = it.next().unwrap().parse().unwrap();
        nodes[a - 1].roads.push((b - 1, w));
    }
    nodes[0].dist = Some(0);
    loop {
        let mut nearest: Option<(u64, usize)> = None;
        for (v, node) in nodes.iter().enumerate() {
            if node.closed {
                continue;
            }
            if let Some(d) = node.dist {
                if nearest.map_or(true, |(least, _)| d < least) {
                    nearest = Some((d, v));
                }
            }
        }
        let (d, v) = match nearest {
            Some(x) => x,
            None => break,
        };
        nodes[v].closed = true;
        let roads = std::mem::take(&mut nodes[v].roads);
        for (u, w) in roads {
            let t = d + w;
            if nodes[u].dist.map_or(true, |old| t < old) {
                nodes[u].dist = Some(t);
            }
        }
    }
    let mut first = true;
    let mut out = String::new();
    for node in &nodes {
        if !first {
            out += " ";
        }
        first = false;
        match node.dist {
            Some(d) => out += &d.to_string(),
            None => out += "-1",
        }
    }
    println!("{}", out);
}
