#!/bin/sh
# Stands in the place of a compiler: a program that it links is replaced by one that records.
name=${0##*/}
PATH=${PATH#"$HYDROGEN_RECORD/bin:"}
"$name" "$@" || exit $?
made=a.out
links=yes
before=
for word in "$@"; do
  [ "$before" = -o ] && made=$word
  case $word in -c | -S | -E | -M | -MM | -shared | --version | -v | -dump* | -fsyntax-only) links=no ;; esac
  before=$word
done
if [ "$links" = yes ] && [ -x "$made" ] && [ ! -d "$made" ]; then
  case $made in /*) built=$made ;; *) built=$(pwd -P)/$made ;; esac
  number=0
  while ! mkdir "$HYDROGEN_RECORD/real/$number" 2>/dev/null; do number=$((number + 1)); done
  real=$HYDROGEN_RECORD/real/$number/${made##*/}
  mv -- "$made" "$real" && {
    printf '#!/bin/sh\nreal='\''%s'\''\nbuilt='\''%s'\''\n' "$real" "$built"
    cat "$HYDROGEN_RECORD/recorder"
  } > "$made" && chmod 755 "$made"
fi
exit 0
