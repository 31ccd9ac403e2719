// container/heap of items; items that left the window are dropped from the top late.
package main

import (
	"bufio"
	"container/heap"
	"fmt"
	"os"
)

type item struct{ value, index int }
type maxHeap []item

func (h maxHeap) Len() int            { return len(h) }
func (h maxHeap) Less(i, j int) bool  { return h[i].value > h[j].value }
func (h maxHeap) Swap(i, j int)       { h[i], h[j] = h[j], h[i] }
func (h *maxHeap) Push(x interface{}) { *h = append(*h, x.(item)) }
func (h *maxHeap) Pop() interface{} {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var n, k int
	fmt.Fscan(in, &n, &k)
	h := &maxHeap{}
	for i := 0; i < n; i++ {
		var x int
		fmt.Fscan(in, &x)
		heap.Push(h, item{x, i})
		for (*h)[0].index <= i-k {
			heap.Pop(h)
		}
		if i >= k-1 {
			fmt.Fprint(out, (*h)[0].value, " ")
		}
	}
	fmt.Fprintln(out)
}
