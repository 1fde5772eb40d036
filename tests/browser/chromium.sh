#!/bin/sh
# Print the path of a Chromium: CHROMIUM=PATH, or one of its usual names. With the argument "install", root gets Debian's
# package where there is none. Exit with 1, and say why, if there is none in the end.
if [ -n "$CHROMIUM" ]; then
  if command -v "$CHROMIUM"; then exit 0; fi
else
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name"; then exit 0; fi
  done
fi
hint="install it (apt-get install chromium) or run: make test-browser CHROMIUM=/path/to/chromium"
if [ -n "$CHROMIUM" ]; then
  echo "there is no $CHROMIUM: $hint" >&2
elif [ "$1" != install ]; then
  echo "there is no Chromium: $hint" >&2
elif [ "$(id -u)" != 0 ]; then
  echo "there is no Chromium, and only root can install it: $hint" >&2
elif ! command -v apt-get > /dev/null; then
  echo "there is no Chromium, and no apt-get to install it: $hint" >&2
else
  echo "there is no Chromium: installing Debian's package" >&2
  export DEBIAN_FRONTEND=noninteractive
  get="apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Acquire::http::Timeout=30 -o Acquire::Retries=2"
  # Lists that cannot be fetched may still be there from before. Standard output is for the path alone.
  $get update >&2 || echo "the lists of packages could not be fetched" >&2
  if $get install --no-install-recommends chromium < /dev/null >&2 && command -v chromium; then exit 0; fi
  echo "Chromium could not be installed: $hint" >&2
fi
exit 1
