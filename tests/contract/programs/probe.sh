# Tells what a quiet program finds around it, which is the same before and after any attack.
# Builtins only and no command substitution: it is one process, in every image.
# Its input says whether folders are its own ("isolated").
count() {
    [ -e "$1" ] || [ -L "$1" ] || shift
    found="$found $#"
}

lines() {
    number=0
    while read -r _; do number=$((number + 1)); done <"$1"
    found="$found $number"
}

read -r kind
found="processes"
count /proc/[0-9]*
echo "$found"
if [ "$kind" = isolated ]; then
    for folder in /tmp /dev/shm /dev/mqueue /work /build /scratch; do
        found=$folder
        count "$folder"/*
        count "$folder"/.[!.]*
        echo "$found"
    done
    for table in /proc/sysvipc/shm /proc/sysvipc/sem /proc/sysvipc/msg; do
        found=$table
        [ ! -r "$table" ] || lines "$table"
        echo "$found"
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
