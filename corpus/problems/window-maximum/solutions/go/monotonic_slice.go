// Falling sequence of indices in a slice; bytes are parsed by hand.
package main

import (
	"io"
	"os"
	"strconv"
)

func main() {
	data, _ := io.ReadAll(os.Stdin)
	p := 0
	next := func() int {
		for data[p] <= ' ' {
			p++
		}
		neg := data[p] == '-'
		if neg {
			p++
		}
		x := 0
		for p < len(data) && data[p] > ' ' {
			x = x*10 + int(data[p]-'0')
			p++
		}
		if neg {
			return -x
		}
		return x
	}
	n, k := next(), next()
	a := make([]int, n)
	queue := make([]int, 0, n)
	head := 0
	out := make([]byte, 0, 1<<20)
	for i := range a {
		a[i] = next()
		for len(queue) > head && a[queue[len(queue)-1]] <= a[i] {
			queue = queue[:len(queue)-1]
		}
		queue = append(queue, i)
		if queue[head] <= i-k {
			head++
		}
		if i >= k-1 {
			out = strconv.AppendInt(out, int64(a[queue[head]]), 10)
			out = append(out, ' ')
		}
	}
	out[len(out)-1] = '\n'
	os.Stdout.Write(out)
}
