// Recursive depth-first search; tasks are placed from the back.
package main

import (
	"bufio"
	"fmt"
	"os"
)

var after [][]int32
var state []byte
var order []int32

func visit(v int32) bool {
	state[v] = 1
	for _, w := range after[v] {
		if state[w] == 1 || state[w] == 0 && !visit(w) {
			return false
		}
	}
	state[v] = 2
	order = append(order, v)
	return true
}

func main() {
	sc := bufio.NewScanner(os.Stdin)
	sc.Split(bufio.ScanWords)
	next := func() int {
		sc.Scan()
		v := 0
		for _, c := range sc.Bytes() {
			v = v*10 + int(c-'0')
		}
		return v
	}
	n := next()
	m := next()
	after = make([][]int32, n+1)
	state = make([]byte, n+1)
	for i := 0; i < m; i++ {
		a := next()
		after[a] = append(after[a], int32(next()))
	}
	for v := 1; v <= n; v++ {
		if state[v] == 0 && !visit(int32(v)) {
			fmt.Println("IMPOSSIBLE")
			return
		}
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for i := n - 1; i > 0; i-- {
		fmt.Fprintf(out, "%d ", order[i])
	}
	fmt.Fprintf(out, "%d\n", order[0])
}
