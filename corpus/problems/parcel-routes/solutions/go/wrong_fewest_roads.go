// Breadth-first search: the length of a route with the fewest roads.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var n, m int
	fmt.Fscan(in, &n, &m)
	roads := make([][][2]int, n+1)
	for i := 0; i < m; i++ {
		var a, b, w int
		fmt.Fscan(in, &a, &b, &w)
		roads[a] = append(roads[a], [2]int{b, w})
	}
	dist := make([]int, n+1)
	for v := range dist {
		dist[v] = -1
	}
	dist[1] = 0
	queue := []int{1}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, r := range roads[v] {
			if dist[r[0]] < 0 {
				dist[r[0]] = dist[v] + r[1]
				queue = append(queue, r[0])
			}
		}
	}
	for v := 1; v <= n; v++ {
		if v > 1 {
			fmt.Fprint(out, " ")
		}
		fmt.Fprint(out, dist[v])
	}
	fmt.Fprintln(out)
}
