// Flat 32-bit arrays in compressed rows, free tasks on a stack.
package main

import (
	"io"
	"os"
	"strconv"
)

func main() {
	data, _ := io.ReadAll(os.Stdin)
	at := 0
	next := func() int32 {
		for data[at] < '0' {
			at++
		}
		var v int32
		for at < len(data) && data[at] >= '0' {
			v = v*10 + int32(data[at]-'0')
			at++
		}
		return v
	}
	n := next()
	m := next()
	src := make([]int32, m)
	dst := make([]int32, m)
	first := make([]int32, n+2)
	need := make([]int32, n+1)
	for i := range src {
		src[i], dst[i] = next(), next()
		first[src[i]]++
		need[dst[i]]++
	}
	for v := int32(1); v <= n+1; v++ {
		first[v] += first[v-1]
	}
	to := make([]int32, m)
	for i, a := range src {
		first[a]--
		to[first[a]] = dst[i]
	}
	stack := make([]int32, 0, n)
	for v := n; v >= 1; v-- {
		if need[v] == 0 {
			stack = append(stack, v)
		}
	}
	text := data[:0:0]
	count := int32(0)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if count > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendInt(text, int64(v), 10)
		count++
		for _, w := range to[first[v]:first[v+1]] {
			need[w]--
			if need[w] == 0 {
				stack = append(stack, w)
			}
		}
	}
	if count < n {
		text = []byte("IMPOSSIBLE")
	}
	os.Stdout.Write(append(text, '\n'))
}
