#![allow(dead_code, unused_imports)]
use std::cell::RefCell;
use std::cmp::{max, min, Ordering, Reverse};
use std::collections::*;
use std::rc::Rc;

struct Solution;

// ==Code Submission==

fn main() {
    let mut text = String::new();
    std::io::Read::read_to_string(&mut std::io::stdin(), &mut text).unwrap();
    let n: i32 = text.trim().parse().unwrap();
    println!("{}", Solution::totient_sum(n));
}
