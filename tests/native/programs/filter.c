/* Evaluates the system call filter without applying it. Input: lines "NUMBER ARGUMENT0 ... ARGUMENT5". Output: the
 * answer of the filter to each, "allow", "kill" or the errno. The argument "ungrouped" selects the filter without
 * control groups. The pass is 42. */
#define main supervisor_main
#include "../../../venus_toolkit/execution/native/supervisor.c"
#undef main

static uint32_t answer(const struct sock_filter *code, const struct seccomp_data *data)
{
    uint32_t value = 0;
    for (const struct sock_filter *at = code;; at++)
        switch (at->code) {
        case BPF_LD | BPF_W | BPF_ABS: memcpy(&value, (const char *)data + at->k, 4); break;
        case BPF_ALU | BPF_AND | BPF_K: value &= at->k; break;
        case BPF_JMP | BPF_JEQ | BPF_K: at += value == at->k ? at->jt : at->jf; break;
        case BPF_JMP | BPF_JGT | BPF_K: at += value > at->k ? at->jt : at->jf; break;
        case BPF_JMP | BPF_JGE | BPF_K: at += value >= at->k ? at->jt : at->jf; break;
        case BPF_JMP | BPF_JSET | BPF_K: at += value & at->k ? at->jt : at->jf; break;
        case BPF_RET | BPF_K: return at->k;
        default: fail("an instruction that is not known here: %x", at->code);
        }
}

int main(int argc, char **argv)
{
    static struct sock_filter code[512];
    struct seccomp_data data = { .arch = ARCHITECTURE };
    unsigned long long *a = (unsigned long long *)data.args;
    opt.usage_fd = argc > 1 && !strcmp(argv[1], "ungrouped") ? -1 : 0;
    pass = 42;
    launcher_tid = 2;
    write_filter(code);
    while (scanf("%d %llu %llu %llu %llu %llu %llu", &data.nr, a, a + 1, a + 2, a + 3, a + 4, a + 5) == 7) {
        uint32_t said = answer(code, &data);
        if (said == SECCOMP_RET_ALLOW)
            puts("allow");
        else if ((said & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO)
            printf("%u\n", said & SECCOMP_RET_DATA);
        else
            puts("kill");
    }
    return 0;
}
