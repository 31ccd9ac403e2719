import java.util.Scanner;

public class Main {
    static volatile long x;

    public static void main(String[] args) {
        x = new Scanner(System.in).nextInt();
        while (true) x = x + 1;  // volatile: the loop stays
    }
}
