package main

import (
	"bufio"
	"container/heap"
	"container/list"
	"fmt"
	"math"
	"math/bits"
	"math/rand"
	"os"
	"sort"
	"strconv"
	"strings"
)

var _ = heap.Init
var _ = list.New
var _ = fmt.Sprint
var _ = math.MaxInt64
var _ = bits.Len
var _ = rand.Int
var _ = sort.Ints
var _ = strconv.Itoa
var _ = strings.Repeat

// ==Code Submission==

func main() {
	var n int
	fmt.Fscan(bufio.NewReader(os.Stdin), &n)
	fmt.Println(totientSum(n))
}
