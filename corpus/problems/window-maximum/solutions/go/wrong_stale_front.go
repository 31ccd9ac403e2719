// Monotonic queue whose front may be one step too old.
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
	var n, k int
	fmt.Fscan(in, &n, &k)
	a := make([]int, n)
	q := []int{}
	for i := range a {
		fmt.Fscan(in, &a[i])
		for len(q) > 0 && a[q[len(q)-1]] <= a[i] {
			q = q[:len(q)-1]
		}
		q = append(q, i)
		if q[0]+k < i {
			q = q[1:]
		}
		if i >= k-1 {
			fmt.Fprintf(out, "%d ", a[q[0]])
		}
	}
	fmt.Fprintln(out)
}
