package main

import "fmt"

func main() {
	var n, sum, value int
	fmt.Scan(&n)
	for i := 0; i < n; i++ {
		fmt.Scan(&value)
		sum += value
	}
	fmt.Println(sum)
}
