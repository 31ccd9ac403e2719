/* Memory that is held, spiked or mapped without being touched, in threads and in children. */
#include "common.h"

static void *hold_thread(void *unused)
{
    (void)unused;
    touch(32 * MIB);
    rest(200);
    exit(0);
}

int main(int argc, char **argv)
{
    if (IS("touch")) { /* touch MIB MILLISECONDS */
        touch(ARGUMENT(2) * MIB);
        rest(ARGUMENT(3));
    }
    if (IS("spike")) { /* spike MIB: frees the memory at once and continues to run */
        munmap(touch(ARGUMENT(2) * MIB), ARGUMENT(2) * MIB);
        rest(50);
    }
    if (IS("untouched"))
        rest(map(ARGUMENT(2) * MIB) ? 20 : 0);
    if (IS("endless"))
        for (;;)
            touch(MIB);
    if (IS("family")) { /* family COUNT MIB MILLISECONDS: grandchildren hold the memory at the same time */
        for (int i = 0; i < ARGUMENT(2); i++)
            if (!fork()) {
                if (fork())
                    return wait(NULL) < 0;
                touch(ARGUMENT(3) * MIB);
                rest(ARGUMENT(4));
                return 0;
            }
        while (wait(NULL) > 0)
            ;
    }
    if (IS("leader-gone")) { /* the first thread ends, another one holds 32 MiB for 200 ms */
        pthread_t thread;
        pthread_create(&thread, NULL, hold_thread, NULL);
        pthread_exit(NULL);
    }
    return 0;
}
