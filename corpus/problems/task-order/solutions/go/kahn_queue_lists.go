// Kahn's algorithm with slices of followers and a slice as the queue.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var n, m int
	fmt.Fscan(in, &n, &m)
	sc := bufio.NewScanner(in)
	sc.Split(bufio.ScanWords)
	next := func() int {
		sc.Scan()
		v := 0
		for _, c := range sc.Bytes() {
			v = v*10 + int(c-'0')
		}
		return v
	}
	after := make([][]int, n+1)
	need := make([]int, n+1)
	for i := 0; i < m; i++ {
		a, b := next(), next()
		after[a] = append(after[a], b)
		need[b]++
	}
	queue := []int{}
	for v := 1; v <= n; v++ {
		if need[v] == 0 {
			queue = append(queue, v)
		}
	}
	for i := 0; i < len(queue); i++ {
		for _, w := range after[queue[i]] {
			need[w]--
			if need[w] == 0 {
				queue = append(queue, w)
			}
		}
	}
	if len(queue) < n {
		fmt.Fprintln(out, "IMPOSSIBLE")
		return
	}
	for i, v := range queue {
		if i > 0 {
			out.WriteByte(' ')
		}
		fmt.Fprint(out, v)
	}
	out.WriteByte('\n')
}
