# Stands in the place of a program of a test: keeps what the program is started with, then becomes it. Before this text stand two
# lines that say which program it is: `real`, where it lies now, and `built`, where the build made it.
number=0
while ! mkdir "$HYDROGEN_RECORD/$number" 2>/dev/null; do
  number=$((number + 1))
  [ "$number" -gt 500 ] && exec "$real" "$@"
done
kept="$HYDROGEN_RECORD/$number"
printf '%s' "$built" > "$kept/program"
printf '%s' "$0" > "$kept/called"
pwd -P > "$kept/folder"
env -0 > "$kept/environment"
: > "$kept/args"
for word in "$@"; do
  printf '%s\0' "$word" >> "$kept/args"
done
# Every file that the program could read, by what tells its content; contents that are new are copied. Names with line ends are left out.
find -L $HYDROGEN_FOLDERS ! -name '*
*' '(' -type d -printf 'folder %p\n' -o -type f -size -32768k -printf '%i-%C@ %p\n' ')' > "$kept/files" 2>/dev/null
find -L /tmp -path "$HYDROGEN_RECORD" -prune -o -type f -cnewer "$HYDROGEN_RECORD/begin" -size -32768k -printf '%i-%C@ %p\n' >> "$kept/files" 2>/dev/null
while IFS= read -r line; do
  key=${line%% *}
  [ "$key" = folder ] || [ -e "$HYDROGEN_RECORD/contents/$key" ] || cp -- "${line#* }" "$HYDROGEN_RECORD/contents/$key" 2>/dev/null
done < "$kept/files"
: > "$kept/stdin"
if [ -f /dev/stdin ]; then
  # A file is read without moving its position: the program may leave it to others.
  at=$(sed -n 's/^pos:[^0-9]*//p' /proc/$$/fdinfo/0)
  tail -c +$((at + 1)) /proc/$$/fd/0 > "$kept/stdin"
  exec "$real" "$@"
elif [ -p /dev/stdin ]; then
  cat > "$kept/stdin"
  exec "$real" "$@" < "$kept/stdin"
fi
exec "$real" "$@"
