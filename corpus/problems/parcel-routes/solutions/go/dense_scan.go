// Dijkstra without a queue: look through the list of open nodes for the nearest one every time.
package main

import (
	"bufio"
	"fmt"
	"os"
)

type road struct {
	to     int
	length int64
	next   *road
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	var n, m int
	fmt.Fscan(in, &n, &m)
	roads := make([]*road, n+1)
	for i := 0; i < m; i++ {
		var a, b int
		var w int64
		fmt.Fscan(in, &a, &b, &w)
		roads[a] = &road{b, w, roads[a]}
	}
	const infinity = int64(1) << 60
	dist := make([]int64, n+1)
	open := make([]int, n)
	for v := 1; v <= n; v++ {
		dist[v] = infinity
		open[v-1] = v
	}
	dist[1] = 0
	for len(open) > 0 {
		best := 0
		least := infinity
		for i, v := range open {
			if dist[v] < least {
				least = dist[v]
				best = i
			}
		}
		if least == infinity {
			break
		}
		v := open[best]
		open[best] = open[len(open)-1]
		open = open[:len(open)-1]
		for r := roads[v]; r != nil; r = r.next {
			if least+r.length < dist[r.to] {
				dist[r.to] = least + r.length
			}
		}
	}
	out := bufio.NewWriter(os.Stdout)
	for v := 1; v <= n; v++ {
		d := dist[v]
		if d == infinity {
			d = -1
		}
		if v == n {
			fmt.Fprintf(out, "%d\n", d)
		} else {
			fmt.Fprintf(out, "%d ", d)
		}
	}
	out.Flush()
}
