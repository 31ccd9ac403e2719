// One bit per odd number and a running count per word.
package main

import (
	"bufio"
	"io"
	"math/bits"
	"os"
	"strconv"
)

const half = 1000000

var words [half/64 + 2]uint64
var rank [half/64 + 3]int32

func pi(x int) int {
	if x < 2 {
		return 0
	}
	e := (x + 1) / 2
	return 1 + int(rank[e>>6]) + bits.OnesCount64(words[e>>6]&(1<<uint(e&63)-1))
}

func main() {
	for i := range words {
		words[i] = ^uint64(0)
	}
	words[0]--
	for i := 1; 2*i*(i+1) < half; i++ {
		if words[i>>6]>>uint(i&63)&1 == 0 {
			continue
		}
		for j := 2 * i * (i + 1); j < half; j += 2*i + 1 {
			words[j>>6] &^= 1 << uint(j&63)
		}
	}
	for i, w := range words {
		rank[i+1] = rank[i] + int32(bits.OnesCount64(w))
	}
	data, _ := io.ReadAll(os.Stdin)
	at := 0
	next := func() int {
		for data[at] < '0' {
			at++
		}
		v := 0
		for at < len(data) && data[at] >= '0' {
			v = v*10 + int(data[at]-'0')
			at++
		}
		return v
	}
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	var buf []byte
	for q := next(); q > 0; q-- {
		l := next()
		r := next()
		buf = strconv.AppendInt(buf[:0], int64(pi(r)-pi(l-1)), 10)
		buf = append(buf, '\n')
		w.Write(buf)
	}
}
