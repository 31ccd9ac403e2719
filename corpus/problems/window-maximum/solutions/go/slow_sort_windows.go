// Sorts a copy of every window.
package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var n, k int
	fmt.Fscan(in, &n, &k)
	a := make([]int, n)
	for i := range a {
		fmt.Fscan(in, &a[i])
	}
	w := make([]int, k)
	for i := 0; i+k <= n; i++ {
		copy(w, a[i:i+k])
		sort.Ints(w)
		fmt.Fprintf(out, "%d ", w[k-1])
	}
	fmt.Fprintln(out)
}
