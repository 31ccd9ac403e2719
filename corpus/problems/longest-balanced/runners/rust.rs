#![allow(unused_imports, dead_code, unused_mut, non_snake_case)]
use std::cell::*;
use std::cmp::*;
use std::collections::*;
use std::rc::*;

struct Solution;

// ==Code Submission==

fn main() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    let text = line.trim().trim_matches('"').to_string();
    println!("{}", Solution::longest_balanced(text));
}
