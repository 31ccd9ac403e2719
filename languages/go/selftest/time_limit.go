package main

import "fmt"

var x uint64

func main() {
	fmt.Scan(&x)
	for {
		x = x*6364136223846793005 + 1
	}
}
