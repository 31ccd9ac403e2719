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
    let mut grid: Vec<Vec<i32>> = Vec::new();
    let mut depth = 0;
    let mut number: Option<i32> = None;
    for b in line.bytes() {
        if b.is_ascii_digit() {
            number = Some(number.unwrap_or(0) * 10 + (b - b'0') as i32);
            continue;
        }
        if let Some(value) = number.take() {
            grid.last_mut().unwrap().push(value);
        }
        if b == b'[' {
            depth += 1;
            if depth == 2 {
                grid.push(Vec::new());
            }
        } else if b == b']' {
            depth -= 1;
        }
    }
    println!("{}", Solution::count_islands(grid));
}
