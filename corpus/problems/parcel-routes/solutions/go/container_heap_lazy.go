// Dijkstra with container/heap; outdated entries are dropped when they surface.
package main

import (
	"bufio"
	"container/heap"
	"fmt"
	"os"
)

type road struct {
	to, length int
}

type entry struct {
	dist, node int
}

type queue []entry

func (q queue) Len() int            { return len(q) }
func (q queue) Less(i, j int) bool  { return q[i].dist < q[j].dist }
func (q queue) Swap(i, j int)       { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x interface{}) { *q = append(*q, x.(entry)) }
func (q *queue) Pop() interface{} {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var n, m int
	fmt.Fscan(in, &n, &m)
	roads := make([][]road, n+1)
	for i := 0; i < m; i++ {
		var a, b, w int
		fmt.Fscan(in, &a, &b, &w)
		roads[a] = append(roads[a], road{b, w})
	}
	dist := make([]int, n+1)
	for v := range dist {
		dist[v] = -1
	}
	q := &queue{{0, 1}}
	for q.Len() > 0 {
		top := heap.Pop(q).(entry)
		if dist[top.node] >= 0 {
			continue
		}
		dist[top.node] = top.dist
		for _, r := range roads[top.node] {
			if dist[r.to] < 0 {
				heap.Push(q, entry{top.dist + r.length, r.to})
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
