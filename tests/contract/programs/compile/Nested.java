public class Main {
    int x = @DEEP@;
}
