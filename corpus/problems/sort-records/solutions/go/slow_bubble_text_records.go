// Bubble sort of text records; the score is parsed again for every comparison.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
)

type record struct{ name, score string }

func value(r record) int {
	v, _ := strconv.Atoi(r.score)
	return v
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
	for end := n - 1; end > 0; end-- {
		for j := 0; j < end; j++ {
			if value(rows[j]) < value(rows[j+1]) {
				rows[j], rows[j+1] = rows[j+1], rows[j]
			}
		}
	}
	for i, r := range rows {
		fmt.Fprintln(out, i+1, r.name, r.score)
	}
}
