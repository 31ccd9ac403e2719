// Kahn's algorithm over the tasks that occur in a rule.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	var n, m int
	fmt.Fscan(in, &n, &m)
	after := make([][]int, n+1)
	need := make([]int, n+1)
	used := make([]bool, n+1)
	tasks := 0
	for i := 0; i < m; i++ {
		var a, b int
		fmt.Fscan(in, &a, &b)
		after[a] = append(after[a], b)
		need[b]++
		for _, v := range []int{a, b} {
			if !used[v] {
				used[v] = true
				tasks++
			}
		}
	}
	queue := []int{}
	for v := 1; v <= n; v++ {
		if used[v] && need[v] == 0 {
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
	if len(queue) < tasks {
		fmt.Println("IMPOSSIBLE")
		return
	}
	fmt.Println(strings.Trim(fmt.Sprint(queue), "[]"))
}
