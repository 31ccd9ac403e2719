#![allow(dead_code, unused_imports)]
use std::cell::RefCell;
use std::cmp::{max, min, Ordering, Reverse};
use std::collections::*;
use std::rc::Rc;

struct Solution;

// ==Code Submission==

fn runner_ints(text: &str) -> Vec<i32> {
    let mut out = Vec::new();
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() && bytes[i] != b'[' {
        i += 1;
    }
    while i < bytes.len() && bytes[i] != b']' {
        let c = bytes[i];
        if c == b'-' || c.is_ascii_digit() {
            let negative = c == b'-';
            if negative {
                i += 1;
            }
            let mut v: i64 = 0;
            while i < bytes.len() && bytes[i].is_ascii_digit() {
                v = v * 10 + (bytes[i] - b'0') as i64;
                i += 1;
            }
            out.push(if negative { -v } else { v } as i32);
        } else {
            i += 1;
        }
    }
    out
}

fn main() {
    let mut text = String::new();
    std::io::Read::read_to_string(&mut std::io::stdin(), &mut text).unwrap();
    println!("{}", Solution::longest_rising(runner_ints(&text)));
}
