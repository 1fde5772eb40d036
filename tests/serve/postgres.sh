#!/bin/sh
# Print the path of PostgreSQL's initdb. With the argument "install", root gets Debian's package where there is none,
# without a database that runs by itself. Exit with 1, and say why, if there is none in the end.
find_it() {
  for path in /usr/lib/postgresql/*/bin/initdb; do
    if [ -x "$path" ]; then echo "$path"; return 0; fi
  done
  command -v initdb
}
if find_it; then exit 0; fi
hint="install it (apt-get install postgresql)"
if [ "$1" != install ]; then
  echo "there is no PostgreSQL: $hint" >&2
elif [ "$(id -u)" != 0 ]; then
  echo "there is no PostgreSQL, and only root can install it: $hint" >&2
elif ! command -v apt-get > /dev/null; then
  echo "there is no PostgreSQL, and no apt-get to install it" >&2
else
  echo "there is no PostgreSQL: installing Debian's package" >&2
  export DEBIAN_FRONTEND=noninteractive
  if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    mkdir -p /etc/postgresql-common && echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.conf
  fi
  get="apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Acquire::http::Timeout=30 -o Acquire::Retries=2"
  # Lists that cannot be fetched may still be there from before. Standard output is for the path alone.
  $get update >&2 || echo "the lists of packages could not be fetched" >&2
  if $get install --no-install-recommends postgresql < /dev/null >&2 && find_it; then exit 0; fi
  echo "PostgreSQL could not be installed: $hint" >&2
fi
exit 1
