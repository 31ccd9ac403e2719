// Bellman-Ford with every one of its n - 1 rounds, distances in a map.
package main

import (
	"bufio"
	"fmt"
	"os"
)

type road struct {
	from, to, length int
}

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var n, m int
	fmt.Fscan(in, &n, &m)
	roads := make([]road, m)
	for i := range roads {
		fmt.Fscan(in, &roads[i].from, &roads[i].to, &roads[i].length)
	}
	dist := map[int]int{1: 0}
	for round := 1; round < n; round++ {
		for _, r := range roads {
			d, known := dist[r.from]
			if !known {
				continue
			}
			old, known := dist[r.to]
			if !known || d+r.length < old {
				dist[r.to] = d + r.length
			}
		}
	}
	for v := 1; v <= n; v++ {
		d, known := dist[v]
		if !known {
			d = -1
		}
		if v > 1 {
			fmt.Fprint(out, " ")
		}
		fmt.Fprint(out, d)
	}
	fmt.Fprintln(out)
}
