//go:generate touch executed
package main

import (
	"fmt"
	"os"
)

func main() {
	if _, err := os.Stat("executed"); err == nil {
		fmt.Println("a directive was executed")
		return
	}
	fmt.Println("ok")
}
