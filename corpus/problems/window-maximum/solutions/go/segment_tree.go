// Recursive segment tree queries.
package main

import (
	"bufio"
	"fmt"
	"os"
)

var tree []int

func build(a []int, v, lo, hi int) {
	if hi-lo == 1 {
		tree[v] = a[lo]
		return
	}
	mid := (lo + hi) / 2
	build(a, 2*v, lo, mid)
	build(a, 2*v+1, mid, hi)
	tree[v] = tree[2*v]
	if tree[2*v+1] > tree[v] {
		tree[v] = tree[2*v+1]
	}
}

func query(v, lo, hi, l, r int) int {
	if l <= lo && hi <= r {
		return tree[v]
	}
	mid := (lo + hi) / 2
	if r <= mid {
		return query(2*v, lo, mid, l, r)
	}
	if l >= mid {
		return query(2*v+1, mid, hi, l, r)
	}
	x := query(2*v, lo, mid, l, r)
	y := query(2*v+1, mid, hi, l, r)
	if x > y {
		return x
	}
	return y
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	var n, k int
	fmt.Fscan(in, &n, &k)
	a := make([]int, n)
	for i := range a {
		fmt.Fscan(in, &a[i])
	}
	tree = make([]int, 4*n)
	build(a, 1, 0, n)
	for i := 0; i+k <= n; i++ {
		fmt.Fprintf(out, "%d ", query(1, 0, n, i, i+k))
	}
	fmt.Fprintln(out)
}
