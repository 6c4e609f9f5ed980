#!/bin/sh
# Stands in the place of a compiler: a program that it links is replaced by one that records.
"$HYDROGEN_COMPILER" "$@" || exit $?
made=a.out
links=yes
before=
for word in "$@"; do
  [ "$before" = -o ] && made=$word
  case $word in -c | -S | -E | -M | -MM | -shared | --version | -v | -dump*) links=no ;; esac
  before=$word
done
if [ "$links" = yes ] && [ -x "$made" ] && [ ! -d "$made" ]; then
  mv "$made" "$made.hydrogen" && cp "$HYDROGEN_RECORD/recorder" "$made"
fi
exit 0
