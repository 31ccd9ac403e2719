# Prints the surroundings of a quiet program, which must be the same before and after any attack.
# It uses builtins only and no command substitution, so it is a single process in every image.
# With the input "isolated" it also lists folders, which are its own.
count() {
    [ -e "$1" ] || [ -L "$1" ] || shift
    report="$report $#"
}

lines() {
    number=0
    while read -r _; do number=$((number + 1)); done <"$1"
    report="$report $number"
}

read -r kind
report="processes"
count /proc/[0-9]*
echo "$report"
if [ "$kind" = isolated ]; then
    for folder in /tmp /dev/shm /dev/mqueue /work /build /scratch; do
        report=$folder
        count "$folder"/*
        count "$folder"/.[!.]*
        echo "$report"
    done
    for table in /proc/sysvipc/shm /proc/sysvipc/sem /proc/sysvipc/msg; do
        report=$table
        [ ! -r "$table" ] || lines "$table"
        echo "$report"
    done
fi
while read -r name value; do
    case $name in Sig[BI]* | Cap* | NoNewPrivs: | Seccomp: | Cpus_allowed_list:) echo "$name $value" ;; esac
done </proc/self/status
read -r _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ priority nice _ </proc/self/stat
echo "priority $priority $nice"
umask
ulimit -a
export -p
