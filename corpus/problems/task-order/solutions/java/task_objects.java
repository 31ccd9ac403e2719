// Tasks as objects with a linked list of followers, peeled level by level.
import java.io.*;
import java.util.*;

public class Main {
    static class Task {
        final int id;
        int open = 0;
        final List<Task> followers = new LinkedList<>();

        Task(int id) {
            this.id = id;
        }
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        String[] top = in.readLine().split(" ");
        int n = Integer.parseInt(top[0]), m = Integer.parseInt(top[1]);
        Map<Integer, Task> tasks = new HashMap<>();
        for (int v = 1; v <= n; v++) tasks.put(v, new Task(v));
        for (int i = 0; i < m; i++) {
            String line = in.readLine();
            int gap = line.indexOf(' ');
            Task a = tasks.get(Integer.parseInt(line.substring(0, gap)));
            Task b = tasks.get(Integer.parseInt(line.substring(gap + 1).trim()));
            a.followers.add(b);
            b.open++;
        }
        List<Task> level = new ArrayList<>();
        for (Task t : tasks.values()) if (t.open == 0) level.add(t);
        StringBuilder sb = new StringBuilder();
        int count = 0;
        while (!level.isEmpty()) {
            List<Task> upcoming = new ArrayList<>();
            for (Task t : level) {
                sb.append(count++ == 0 ? "" : " ").append(t.id);
                for (Task f : t.followers) if (--f.open == 0) upcoming.add(f);
            }
            level = upcoming;
        }
        System.out.println(count == n ? sb.toString() : "IMPOSSIBLE");
    }
}
