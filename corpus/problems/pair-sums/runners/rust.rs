#![allow(warnings)]
use std::cell::*;
use std::cmp::*;
use std::collections::*;
use std::rc::*;

struct Solution;

// ==Code Submission==

fn main() {
    let mut text = ::std::string::String::new();
    ::std::io::Read::read_to_string(&mut ::std::io::stdin(), &mut text).unwrap();
    let mut lines = text.lines();
    let nums: ::std::vec::Vec<i32> = lines
        .next()
        .unwrap()
        .trim_matches(|c: char| c == '[' || c == ']' || c.is_whitespace())
        .split(',')
        .map(|w| w.trim())
        .filter(|w| !w.is_empty())
        .map(|w| w.parse().unwrap())
        .collect();
    let target: i64 = lines.next().unwrap().trim().parse().unwrap();
    let result: i64 = Solution::count_pairs(nums, target);
    println!("{}", result);
}
