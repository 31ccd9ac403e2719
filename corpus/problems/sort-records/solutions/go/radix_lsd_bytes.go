// Reads everything at once, LSD radix sort on bytes of the key, appends digits to one output buffer.
package main

import (
	"io"
	"os"
	"strconv"
)

type item struct {
	key        uint32
	start, end int32
}

func main() {
	text, _ := io.ReadAll(os.Stdin)
	p := 0
	for text[p] > ' ' {
		p++
	}
	n, _ := strconv.Atoi(string(text[:p]))
	items := make([]item, n)
	other := make([]item, n)
	for i := range items {
		for text[p] <= ' ' {
			p++
		}
		start := p
		for text[p] > ' ' {
			p++
		}
		end := p
		p++
		negative := text[p] == '-'
		if negative {
			p++
		}
		value := 0
		for p < len(text) && text[p] >= '0' {
			value = value*10 + int(text[p]-'0')
			p++
		}
		if negative {
			value = -value
		}
		items[i] = item{uint32(1000000000 - value), int32(start), int32(end)}
	}
	for shift := uint(0); shift < 32; shift += 8 {
		var count [257]int
		for i := range items {
			count[(items[i].key>>shift&255)+1]++
		}
		for d := 0; d < 256; d++ {
			count[d+1] += count[d]
		}
		for _, e := range items {
			d := e.key >> shift & 255
			other[count[d]] = e
			count[d]++
		}
		items, other = other, items
	}
	out := make([]byte, 0, n*32)
	for i, e := range items {
		out = strconv.AppendInt(out, int64(i+1), 10)
		out = append(out, ' ')
		out = append(out, text[e.start:e.end]...)
		out = append(out, ' ')
		out = strconv.AppendInt(out, 1000000000-int64(e.key), 10)
		out = append(out, '\n')
	}
	os.Stdout.Write(out)
}
