# shellcheck shell=bash
# Sourced by ./run: the README's commands as a newcomer meets them, in a minimal Debian that has nothing yet.

# Exit status 77 where this machine cannot make such a root: what ctest calls skipped.
cannot() { say "fresh: $*"; exit 77; }

# The codename of the release asked for. 'other' is the one that this machine is not; its apt sources tell which it is,
# for os-release may be that of a newer base-files.
fresh_codename() { # RELEASE
  case $1 in
    12 | bookworm) echo bookworm ;;
    13 | trixie) echo trixie ;;
    other) if [[ $(debian_mirror bookworm) ]]; then echo trixie; else echo bookworm; fi ;;
    *) die "fresh knows the Debian releases 12 and 13, and 'other' for the one this machine is not; not '$1'." ;;
  esac
}

# A minimal root as a tar file, made once and kept.
fresh_base() { # CODENAME MIRROR BASE
  if [[ -e $3 ]]; then return; fi
  command -v debootstrap >/dev/null || { apt_update && apt_install debootstrap; } || cannot "debootstrap cannot be installed."
  say "making a minimal $1 from $2, kept as $3"
  local made
  mkdir -p "$(dirname "$3")"
  made=$(mktemp -d "${3%.tar}.XXXXXX")
  fresh_remove="$made $3.part"
  debootstrap --variant=minbase "$1" "$made/tree" "$2" >"$made/log" 2>&1 ||
    { tail -n 3 "$made/log" >&2; cannot "debootstrap failed, see above."; }
  rm -rf "$made"/tree/var/cache/apt/archives/*.deb
  tar --numeric-owner -C "$made/tree" -cf "$3.part" .
  mv "$3.part" "$3"
  rm -rf "$made"
}

# ./run fresh RELEASE [demo|test]
fresh_remove=
fresh() {
  local command=${2:-demo} codename mirror base root status=0
  codename=$(fresh_codename "${1:-}")
  [[ $command == demo || $command == test ]] || die "fresh runs 'demo' or 'test', not '$command'."
  command -v apt-get >/dev/null || cannot "this is not a Debian system, so there is no mirror of Debian to take."
  ((EUID == 0)) || cannot "a root directory of its own needs root:  sudo ./run fresh $1 $command"
  mirror=$(debian_mirror "$codename")
  [[ $mirror ]] || mirror=$(debian_mirror bookworm)
  [[ $mirror ]] || mirror=$(debian_mirror trixie)
  [[ $mirror ]] || cannot "the apt sources of this machine name no mirror of Debian."
  unshare --mount --pid --fork true 2>/dev/null || cannot "this machine allows no namespaces of its own (unshare)."

  base=${XDG_CACHE_HOME:-$HOME/.cache}/parte/fresh-$codename.tar
  trap 'rm -rf $fresh_remove' EXIT
  trap 'exit 143' TERM INT
  fresh_base "$codename" "$mirror" "$base"
  root=$(mktemp -d "${TMPDIR:-/tmp}/parte-fresh.XXXXXX")
  fresh_remove=$root
  tar --numeric-owner -C "$root" -xf "$base"
  cp --dereference /etc/resolv.conf "$root/etc/resolv.conf"
  # A machine that reaches its mirror through a proxy has one here, too.
  apt-config dump Acquire | grep -i proxy >"$root/etc/apt/apt.conf.d/proxy" || true

  [[ -z $(git status --porcelain) ]] || say "fresh: only what is committed is tried."
  git clone --quiet --no-hardlinks . "$root/srv/parte"
  say "fresh $codename: ./run $command, with nothing but $(wc -l < <(grep -x 'Status: install ok installed' "$root/var/lib/dpkg/status")) packages to begin with"
  SECONDS=0
  # The namespaces take the mounts and every process along when they end.
  unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount -t sysfs sysfs "$1/sys" &&
    exec env -i HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" PATH=/usr/sbin:/usr/bin:/sbin:/bin \
      chroot "$1" bash -c "cd /srv/parte && exec ./run $2"' - "$root" "$command" || status=$?
  say "fresh $codename: ./run $command ended with status $status after $((SECONDS / 60)) min $((SECONDS % 60)) s."
  return $status
}
