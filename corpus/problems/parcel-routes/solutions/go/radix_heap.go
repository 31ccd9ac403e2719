// Dijkstra with a radix heap: buckets by the highest bit that differs from the last extracted key.
package main

import (
	"bufio"
	"math/bits"
	"os"
	"strconv"
)

type item struct {
	key  uint64
	node int32
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	number := func() int {
		c, _ := in.ReadByte()
		for c < '0' {
			c, _ = in.ReadByte()
		}
		x := 0
		for c >= '0' {
			x = x*10 + int(c-'0')
			c, _ = in.ReadByte()
		}
		return x
	}
	n := number()
	m := number()
	first := make([]int32, n+1)
	next := make([]int32, m+1)
	to := make([]int32, m+1)
	length := make([]uint64, m+1)
	for e := 1; e <= m; e++ {
		a := number()
		to[e] = int32(number())
		length[e] = uint64(number())
		next[e] = first[a]
		first[a] = int32(e)
	}
	const infinity = ^uint64(0)
	dist := make([]uint64, n+1)
	for v := range dist {
		dist[v] = infinity
	}
	var buckets [65][]item
	last := uint64(0)
	held := 1
	dist[1] = 0
	buckets[0] = append(buckets[0], item{0, 1})
	for held > 0 {
		if len(buckets[0]) == 0 {
			k := 1
			for len(buckets[k]) == 0 {
				k++
			}
			last = buckets[k][0].key
			for _, x := range buckets[k] {
				if x.key < last {
					last = x.key
				}
			}
			for _, x := range buckets[k] {
				s := bits.Len64(x.key ^ last)
				buckets[s] = append(buckets[s], x)
			}
			buckets[k] = buckets[k][:0]
		}
		x := buckets[0][len(buckets[0])-1]
		buckets[0] = buckets[0][:len(buckets[0])-1]
		held--
		if x.key != dist[x.node] {
			continue
		}
		for e := first[x.node]; e != 0; e = next[e] {
			t := x.key + length[e]
			if t < dist[to[e]] {
				dist[to[e]] = t
				s := bits.Len64(t ^ last)
				buckets[s] = append(buckets[s], item{t, to[e]})
				held++
			}
		}
	}
	out := bufio.NewWriter(os.Stdout)
	for v := 1; v <= n; v++ {
		if v > 1 {
			out.WriteByte(' ')
		}
		if dist[v] == infinity {
			out.WriteString("-1")
		} else {
			out.WriteString(strconv.FormatUint(dist[v], 10))
		}
	}
	out.WriteByte('\n')
	out.Flush()
}
