// sort.SliceStable on a slice of records, fmt with buffers for input and output.
package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
)

type record struct {
	name  string
	score int
}

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var n int
	fmt.Fscan(in, &n)
	rows := make([]record, n)
	for i := range rows {
		fmt.Fscan(in, &rows[i].name, &rows[i].score)
	}
	sort.SliceStable(rows, func(a, b int) bool { return rows[a].score > rows[b].score })
	for i, r := range rows {
		fmt.Fprintln(out, i+1, r.name, r.score)
	}
}
