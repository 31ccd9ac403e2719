// Smallest free task first with container/heap.
package main

import (
	"bufio"
	"container/heap"
	"fmt"
	"os"
	"strconv"
	"strings"
)

type minHeap []int

func (h minHeap) Len() int            { return len(h) }
func (h minHeap) Less(i, j int) bool  { return h[i] < h[j] }
func (h minHeap) Swap(i, j int)       { h[i], h[j] = h[j], h[i] }
func (h *minHeap) Push(x interface{}) { *h = append(*h, x.(int)) }
func (h *minHeap) Pop() interface{} {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

func main() {
	in := bufio.NewReader(os.Stdin)
	pair := func() (int, int) {
		line, _ := in.ReadString('\n')
		f := strings.Fields(line)
		a, _ := strconv.Atoi(f[0])
		b, _ := strconv.Atoi(f[1])
		return a, b
	}
	n, m := pair()
	after := make(map[int][]int)
	need := make([]int, n+1)
	for ; m > 0; m-- {
		a, b := pair()
		after[a] = append(after[a], b)
		need[b]++
	}
	h := &minHeap{}
	for v := 1; v <= n; v++ {
		if need[v] == 0 {
			heap.Push(h, v)
		}
	}
	order := []string{}
	for h.Len() > 0 {
		v := heap.Pop(h).(int)
		order = append(order, strconv.Itoa(v))
		for _, w := range after[v] {
			need[w]--
			if need[w] == 0 {
				heap.Push(h, w)
			}
		}
	}
	if len(order) != n {
		fmt.Println("IMPOSSIBLE")
	} else {
		fmt.Println(strings.Join(order, " "))
	}
}
