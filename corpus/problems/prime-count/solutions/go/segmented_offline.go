// Sorted end points answered while a 32 KiB window of the sieve moves along.
package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
)

type point struct {
	x, id int
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Scan()
	var q int
	fmt.Sscan(in.Text(), &q)
	points := make([]point, 0, 2*q)
	for i := 0; i < q; i++ {
		in.Scan()
		v := [2]int{}
		k := 0
		for _, c := range in.Bytes() {
			if c == ' ' {
				k = 1
			} else {
				v[k] = v[k]*10 + int(c-'0')
			}
		}
		points = append(points, point{v[0] - 1, 2 * i}, point{v[1], 2*i + 1})
	}
	sort.Slice(points, func(a, b int) bool { return points[a].x < points[b].x })
	var base, step []int
outer:
	for p := 2; p < 1415; p++ {
		for _, b := range base {
			if p%b == 0 {
				continue outer
			}
		}
		base = append(base, p)
		step = append(step, p*p)
	}
	const size = 1 << 15
	var comp [size]bool
	pi := make([]int32, 2*q)
	total := int32(0)
	e := 0
	for low := 0; e < len(points); low += size {
		comp = [size]bool{}
		if low == 0 {
			comp[0], comp[1] = true, true
		}
		for k, p := range base {
			m := step[k]
			for ; m < low+size; m += p {
				comp[m-low] = true
			}
			step[k] = m
		}
		for v := 0; v < size; v++ {
			if !comp[v] {
				total++
			}
			for e < len(points) && points[e].x == low+v {
				pi[points[e].id] = total
				e++
			}
		}
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for i := 0; i < q; i++ {
		fmt.Fprintf(out, "%d\n", pi[2*i+1]-pi[2*i])
	}
}
