// sort.Slice by falling score.
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
	var n int
	fmt.Fscan(in, &n)
	names := make([]string, n)
	scores := make([]int, n)
	order := make([]int, n)
	for i := range names {
		fmt.Fscan(in, &names[i], &scores[i])
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return scores[order[a]] > scores[order[b]] })
	for p, i := range order {
		fmt.Fprintln(out, p+1, names[i], scores[i])
	}
}
