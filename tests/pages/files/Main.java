import java.util.Scanner;

public class Main {
    public static void main(String[] arguments) {
        Scanner input = new Scanner(System.in);
        int n = input.nextInt();
        int[] values = new int[n];
        for (int i = 0; i < n; i++) values[i] = input.nextInt();
        long inversions = 0;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                if (values[i] > values[j]) inversions++;
        System.out.println(inversions);
    }
}
