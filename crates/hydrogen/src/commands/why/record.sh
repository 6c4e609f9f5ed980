#!/bin/sh
# Stands in the place of a program of a test: keeps what the program is started with, then becomes it.
number=0
while ! mkdir "$HYDROGEN_RECORD/$number" 2>/dev/null; do
  number=$((number + 1))
  [ "$number" -gt 500 ] && exec "$0.hydrogen" "$@"
done
kept="$HYDROGEN_RECORD/$number"
mkdir "$kept/files"
printf '%s' "$0" > "$kept/program"
pwd > "$kept/folder"
: > "$kept/args"
at=0
for word in "$@"; do
  at=$((at + 1))
  printf '%s\0' "$word" >> "$kept/args"
  [ -f "$word" ] && cp "$word" "$kept/files/$at"
done
if [ -t 0 ]; then : > "$kept/stdin"; else cat > "$kept/stdin"; fi
exec "$0.hydrogen" "$@" < "$kept/stdin"
