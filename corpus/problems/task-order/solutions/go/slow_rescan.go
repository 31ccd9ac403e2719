// Recounts the open prerequisites of all tasks for every task that is placed.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	var n, m int
	fmt.Fscan(in, &n, &m)
	from := make([]int, m)
	to := make([]int, m)
	for i := range from {
		fmt.Fscan(in, &from[i], &to[i])
	}
	done := make([]bool, n+1)
	order := []int{}
	for len(order) < n {
		waits := make([]int, n+1)
		for i, a := range from {
			if !done[a] {
				waits[to[i]]++
			}
		}
		v := 1
		for v <= n && (done[v] || waits[v] > 0) {
			v++
		}
		if v > n {
			fmt.Println("IMPOSSIBLE")
			return
		}
		done[v] = true
		order = append(order, v)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for i, v := range order {
		if i > 0 {
			out.WriteByte(' ')
		}
		fmt.Fprint(out, v)
	}
	fmt.Fprintln(out)
}
