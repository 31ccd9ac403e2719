// Dijkstra with an indexed 4-ary heap and decrease-key over compressed rows.
package main

import (
	"io"
	"os"
	"strconv"
)

var (
	dist   []int64
	places []int32
	held   []int32
)

func up(i int32, v int32) {
	for i > 0 {
		p := (i - 1) >> 2
		if dist[held[p]] <= dist[v] {
			break
		}
		held[i] = held[p]
		places[held[i]] = i
		i = p
	}
	held[i] = v
	places[v] = i
}

func down(v int32) {
	i := int32(0)
	n := int32(len(held))
	for {
		c := 4*i + 1
		if c >= n {
			break
		}
		best := c
		for k := c + 1; k < c+4 && k < n; k++ {
			if dist[held[k]] < dist[held[best]] {
				best = k
			}
		}
		if dist[held[best]] >= dist[v] {
			break
		}
		held[i] = held[best]
		places[held[i]] = i
		i = best
	}
	held[i] = v
	places[v] = i
}

func main() {
	text, _ := io.ReadAll(os.Stdin)
	pos := 0
	number := func() int32 {
		for text[pos] < '0' {
			pos++
		}
		x := int32(0)
		for pos < len(text) && text[pos] >= '0' {
			x = x*10 + int32(text[pos]-'0')
			pos++
		}
		return x
	}
	n := number()
	m := number()
	raw := make([]int32, 3*m)
	start := make([]int32, n+2)
	for e := int32(0); e < m; e++ {
		raw[3*e] = number()
		raw[3*e+1] = number()
		raw[3*e+2] = number()
		start[raw[3*e]]++
	}
	for v := int32(1); v <= n+1; v++ {
		start[v] += start[v-1]
	}
	head := make([]int32, m)
	weight := make([]int32, m)
	for e := m - 1; e >= 0; e-- {
		a := raw[3*e]
		start[a]--
		head[start[a]] = raw[3*e+1]
		weight[start[a]] = raw[3*e+2]
	}
	dist = make([]int64, n+1)
	places = make([]int32, n+1)
	held = make([]int32, 0, n)
	for v := range dist {
		dist[v] = -1
	}
	dist[1] = 0
	held = append(held, 1)
	for len(held) > 0 {
		v := held[0]
		tail := held[len(held)-1]
		held = held[:len(held)-1]
		if len(held) > 0 {
			down(tail)
		}
		for k := start[v]; k < start[v+1]; k++ {
			u := head[k]
			t := dist[v] + int64(weight[k])
			if dist[u] < 0 {
				dist[u] = t
				held = append(held, u)
				up(int32(len(held)-1), u)
			} else if t < dist[u] {
				dist[u] = t
				up(places[u], u)
			}
		}
	}
	out := make([]byte, 0, 12*n)
	for v := int32(1); v <= n; v++ {
		out = strconv.AppendInt(out, dist[v], 10)
		out = append(out, ' ')
	}
	out[len(out)-1] = '\n'
	os.Stdout.Write(out)
}
