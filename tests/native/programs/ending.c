/* Programs that end in different ways, or not at all. */
#include "common.h"

static void *burn_thread(void *milliseconds)
{
    burn((long)milliseconds);
    return NULL;
}

int main(int argc, char **argv)
{
    if (IS("exit"))
        return ARGUMENT(2);
    if (IS("signal")) {
        signal(ARGUMENT(2), SIG_DFL);
        raise(ARGUMENT(2));
        return 0;
    }
    if (IS("hang"))
        for (;;)
            pause();
    if (IS("ignore")) {
        for (int number = 1; number < 65; number++)
            signal(number, SIG_IGN);
        for (;;)
            pause();
    }
    if (IS("stop"))
        for (;;)
            raise(SIGSTOP);
    if (IS("burn"))
        burn(ARGUMENT(2));
    if (IS("threads")) { /* threads COUNT MILLISECONDS: each thread burns this CPU time */
        pthread_t threads[64];
        for (int i = 0; i < ARGUMENT(2); i++)
            pthread_create(&threads[i], NULL, burn_thread, (void *)ARGUMENT(3));
        for (int i = 0; i < ARGUMENT(2); i++)
            pthread_join(threads[i], NULL);
    }
    if (IS("family")) { /* family COUNT MILLISECONDS: grandchildren burn, and all processes are waited for */
        for (int i = 0; i < ARGUMENT(2); i++)
            if (!fork()) {
                if (fork())
                    return wait(NULL) < 0;
                burn(ARGUMENT(3));
                return 0;
            }
        while (wait(NULL) > 0)
            ;
    }
    if (IS("one-by-one")) /* one-by-one COUNT MILLISECONDS: one child after the other */
        for (int i = 0; i < ARGUMENT(2); i++) {
            if (!fork()) {
                burn(ARGUMENT(3));
                return 0;
            }
            wait(NULL);
        }
    if (IS("unwaited")) { /* unwaited MILLISECONDS: the kernel reaps the child and adds its CPU time to no process */
        int ends[2];
        char byte;
        signal(SIGCHLD, SIG_IGN);
        if (pipe(ends) || fork() == 0) {
            burn(ARGUMENT(2));
            return 0;
        }
        close(ends[1]);
        if (read(ends[0], &byte, 1))
            return 1;
        rest(5);
    }
    if (IS("abandoned")) { /* abandoned MILLISECONDS: a grandchild burns and is reparented to process 1 */
        int ends[2];
        char byte;
        if (pipe(ends) || fork() == 0) {
            if (fork())
                return 0;
            burn(ARGUMENT(2));
            return 0;
        }
        close(ends[1]);
        if (read(ends[0], &byte, 1))
            return 1;
    }
    return 0;
}
