// Asks a checker, the program ./asked, about many answers, each in a process of its own (execution/checker.py).
//
// Standard input: for each answer a line [expected, actual, input] with the sizes of three texts, then the texts.
// Standard output: for each answer a line, true or false. The file ./arguments: the convention, then flags, one a line.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

void fail(const std::string &what) {
    std::perror(what.c_str());
    std::exit(1);
}

std::string read_text(size_t size) {
    std::string text(size, '\0');
    if (std::fread(text.data(), 1, size, stdin) != size) fail("reading an answer");
    return text;
}

void write_text(const std::string &path, const std::string &text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) fail("writing " + path);
}

void redirect(const std::string &path, int flags, int to) {
    const int file = open(path.c_str(), flags);
    if (file < 0 || dup2(file, to) < 0) _exit(126);
    close(file);
}

// Returns the exit code of the checker, or -1 if a signal ended it.
int ask(std::vector<std::string> words, const std::string &in) {
    std::vector<char *> argv;
    for (std::string &word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child < 0) fail("starting the checker");
    if (child == 0) {
        redirect(in, O_RDONLY, 0);
        redirect("/dev/null", O_WRONLY, 1);  // its output is not a reply
        redirect("/dev/null", O_WRONLY, 2);
        execv(argv[0], argv.data());
        _exit(127);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child) fail("waiting for the checker");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

int main() {
    std::ifstream arguments("arguments");
    std::string convention, flag;
    std::getline(arguments, convention);
    std::vector<std::string> flags;
    while (std::getline(arguments, flag)) flags.push_back(flag);

    size_t expected, actual, input;
    while (std::scanf(" [%zu, %zu, %zu]", &expected, &actual, &input) == 3) {
        if (std::getchar() != '\n') fail("reading sizes");
        const char *temporary = std::getenv("TMPDIR");
        std::string folder = std::string(temporary ? temporary : "/tmp") + "/checker-XXXXXX";
        if (!mkdtemp(folder.data())) fail("making a folder");
        const std::string answer = folder + "/answer", output = folder + "/output", in = folder + "/input";
        write_text(answer, read_text(expected));
        write_text(output, read_text(actual));
        write_text(in, read_text(input));

        const bool kattis = convention == "kattis";
        std::vector<std::string> words{"./asked", in, answer};
        if (kattis) {
            const std::string feedback = folder + "/feedback/";
            if (mkdir(feedback.c_str(), 0700)) fail("making a folder");
            words.push_back(feedback);
        } else {
            words.insert(words.begin() + 2, output);
        }
        words.insert(words.end(), flags.begin(), flags.end());
        const int code = ask(words, kattis ? output : "/dev/null");
        std::puts(code == (kattis ? 42 : 0) ? "true" : "false");
        std::filesystem::remove_all(folder);
    }
}
