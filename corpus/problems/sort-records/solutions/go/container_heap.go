// Pushes every record into a container/heap and pops them in order.
package main

import (
	"bufio"
	"container/heap"
	"fmt"
	"os"
)

type node struct {
	name      string
	score, at int
}

type queue []node

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(a, b int) { q[a], q[b] = q[b], q[a] }
func (q queue) Less(a, b int) bool {
	return q[a].score > q[b].score || q[a].score == q[b].score && q[a].at < q[b].at
}
func (q *queue) Push(x interface{}) { *q = append(*q, x.(node)) }
func (q *queue) Pop() interface{} {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	var n int
	fmt.Fscanf(in, "%d\n", &n)
	q := &queue{}
	for i := 0; i < n; i++ {
		e := node{at: i}
		fmt.Fscanf(in, "%s %d\n", &e.name, &e.score)
		heap.Push(q, e)
	}
	out := bufio.NewWriterSize(os.Stdout, 512)
	for i := 1; q.Len() > 0; i++ {
		e := heap.Pop(q).(node)
		fmt.Fprintf(out, "%d %s %d\n", i, e.name, e.score)
	}
	out.Flush()
}
