#!/bin/sh
# Print the path of a Chromium: CHROMIUM=PATH, or one of its usual names. Exit with 1 if there is none.
for name in ${CHROMIUM:-chromium chromium-browser google-chrome}; do
  if command -v "$name"; then exit 0; fi
done
exit 1
