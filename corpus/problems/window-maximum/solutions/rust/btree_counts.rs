// BTreeMap from value to number of copies in the window.
use std::collections::BTreeMap;
use std::io::{self, Read};

fn main() {
    let mut s = String::new();
    io::stdin().read_to_string(&mut s).unwrap();
    let v: Vec<i32> = s.split_whitespace().map(|t| t.parse().unwrap()).collect();
    let n = v[0] as usize;
    let k = v[1] as usize;
    let a = &v[2..2 + n];
    let mut count: BTreeMap<i32, u32> = BTreeMap::new();
    let mut words = Vec::new();
    for i in 0..n {
        *count.entry(a[i]).or_insert(0) += 1;
        if i >= k {
            let c = count.get_mut(&a[i - k]).unwrap();
            *c -= 1;
            if *c == 0 {
                count.remove(&a[i - k]);
            }
        }
        if i + 1 >= k {
            words.push(count.keys().next_back().unwrap().to_string());
        }
    }
    println!("{}", words.join(" "));
}
