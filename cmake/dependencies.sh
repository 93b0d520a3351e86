# Sourced by ./run: where the libraries come from.

say() { printf 'parte: %s\n' "$*" | fold -s -w 110 >&2; }
die() { say "$*"; exit 1; }

tools=(g++ cmake ninja-build)
libraries=(libgtsam-dev libtbb-dev libeigen3-dev libnanoflann-dev catch2 libboost-dev libboost-serialization-dev
           libcli11-dev nlohmann-json3-dev zlib1g-dev libembree-dev)

python_packages=(python3-dev python3-numpy python3-pytest pybind11-dev) # for the tests of the Python module

missing_packages() { # PACKAGES
  local installed package
  installed=$(dpkg-query -W -f='${Package}=${db:Status-Status}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    grep -qxF "$package=installed" <<<"$installed" || echo "$package"
  done
}

# --no-remove: a system whose packages stand in the way is left as it is, with apt's explanation.
apt_install() {
  DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
    install --yes --no-install-recommends --no-remove "$@" >/dev/null
}
apt_update() {
  apt-get -qq -o DPkg::Lock::Timeout=300 update || say "apt-get update had a problem; going on with what it did fetch."
}

# Where this machine gets the given Debian release from, whatever the format of its apt sources.
debian_mirror() {
  # shellcheck disable=SC2016 # apt fills these in, not the shell
  apt-get indextargets --format '$(ORIGIN)/$(LABEL)/$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
    sed -n "s|^Debian/Debian/$1 ||p" | head -n 1
}

add_trixie() {
  say "Debian 12 has no GTSAM. Adding Debian 13 (trixie) from this machine's mirror, $(debian_mirror bookworm), by" \
    "/etc/apt/sources.list.d/parte-trixie.sources and, at priority 100, /etc/apt/preferences.d/parte-trixie." \
    "Only the libraries and what they need come from there: among it the C and C++ runtimes and base-files" \
    "(so /etc/os-release will say 13). The compiler and CMake stay those of Debian 12."
  cat >/etc/apt/preferences.d/parte-trixie <<'END'
Package: *
Pin: release o=Debian, n=trixie
Pin-Priority: 100
END
  cat >/etc/apt/sources.list.d/parte-trixie.sources <<END
Types: deb
URIs: $(debian_mirror bookworm)
Suites: trixie
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
  apt_update
}

setup() {
  command -v apt-get >/dev/null || die "this system has no apt. Install a C++20 compiler, CMake 3.25, Ninja, GTSAM 4.2," \
    "oneTBB, Eigen 3.4, nanoflann, Catch2 3, Boost.Serialization, CLI11, nlohmann-json, zlib and Embree 4, and build with" \
    "'cmake --preset default'; or let vcpkg build the libraries: 'PARTE_PRESET=vcpkg ./run test'."
  local missing
  mapfile -t missing < <(missing_packages "${tools[@]}" "${libraries[@]}")
  ((${#missing[@]})) || { say "every dependency is installed."; return; }
  ((EUID == 0)) || die "missing packages: ${missing[*]}. Install them as root:  sudo ./run setup"

  say "installing the missing packages, which takes about a minute: ${missing[*]}"
  apt_update
  # Debian 12 is known by its apt sources: base-files of Debian 13, once installed, makes os-release tell otherwise.
  if [[ $(debian_mirror bookworm) ]]; then
    apt_install "${tools[@]}" debian-archive-keyring # an early Debian 12 lacks the keys of Debian 13
    [[ $(debian_mirror trixie) ]] || add_trixie
    apt_install -t trixie "${libraries[@]}"
  elif apt-cache show libgtsam-dev >/dev/null 2>&1; then
    apt_install "${tools[@]}" "${libraries[@]}"
  else
    die "this release has no libgtsam-dev (Debian 13 and later have it). Let vcpkg build the libraries:" \
      "'PARTE_PRESET=vcpkg ./run test'; or build without GTSAM: 'cmake --preset default -DPARTE_SLAM=OFF'."
  fi
  say "every dependency is installed."
}

# What the tests of report.html need. Nobody else does: the page is checked in as it is built.
setup_browser() {
  local browser=() node=() release=()
  command -v chromium >/dev/null || browser=(chromium)
  command -v node >/dev/null || node+=(nodejs)
  command -v npm >/dev/null || node+=(npm)
  ((${#browser[@]} + ${#node[@]})) || { say "chromium, node and npm are installed."; return; }
  ((EUID == 0)) || die "missing packages: ${browser[*]} ${node[*]}. Install them as root:  sudo ./run setup browser"
  say "installing for the tests of report.html: ${browser[*]} ${node[*]}"
  apt_update
  ((${#browser[@]} == 0)) || apt_install "${browser[@]}"
  [[ ! $(debian_mirror bookworm) ]] || release=(-t trixie) # that of Debian 12 is too old
  ((${#node[@]} == 0)) || apt_install "${release[@]}" "${node[@]}"
}

# Always of the release that the interpreter is of, also where libraries come from a newer one. Those who cannot install
# them go without.
python_setup() {
  local missing
  command -v apt-get dpkg-query >/dev/null || return 0
  mapfile -t missing < <(missing_packages "${python_packages[@]}")
  ((${#missing[@]} && EUID == 0)) || return 0
  say "installing packages for the tests of the Python module: ${missing[*]}"
  apt_update
  apt_install "${python_packages[@]}" || say "they cannot be installed."
}

# An interpreter that can import numpy and pytest, and whose headers and pybind11 the compiler finds; python3 may well be
# one of a version manager, which has neither. Nothing if there is none.
find_python() {
  local python include
  for python in python3 /usr/bin/python3; do
    include=$("$python" -c 'import numpy, pytest, sysconfig as s; print(s.get_path("include"))' 2>/dev/null) || continue
    "${CXX:-g++}" -E -x c++ -I "$include" -o /dev/null - <<<'#include <pybind11/pybind11.h>' 2>/dev/null || continue
    "$python" -c 'import sys; print(sys.executable)'
    return
  done
}

# Only the fuzzers need clang, and one that knows C++20 well. Its runtime is a package of its own.
fuzz_compiler() {
  local version
  for version in '' -21 -20 -19 -18 -17 -16; do
    if command -v "clang++$version" >/dev/null; then return; fi
  done
  command -v apt-get >/dev/null || die "fuzz needs clang 16 or later with its libFuzzer."
  for version in 19 16; do
    apt-cache show "libclang-rt-$version-dev" >/dev/null 2>&1 || continue
    ((EUID == 0)) || die "fuzz needs clang. Install it as root:  apt install clang-$version libclang-rt-$version-dev"
    say "installing clang-$version for the fuzzers"
    apt_install "clang-$version" "libclang-rt-$version-dev"
    return
  done
  die "this release has neither clang-19 nor clang-16; install a clang of at least 16 with its libFuzzer."
}

# The thread sanitizer has to see TBB's own synchronisation: with an uninstrumented TBB every parallel loop looks like
# a race, and suppressing those reports would hide the real ones. So Debian's source of TBB is built with it, in
# build-tsan/, by an apt that keeps its lists there and leaves the system's alone.
instrumented_tbb() {
  [[ ! -e build-tsan/tbb ]] || return 0
  local work=$PWD/build-tsan/tbb-source codename mirror
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  mirror=$(debian_mirror "$codename")
  [[ $mirror ]] || die "tsan fetches the source of TBB from Debian, and this is another system. Install a TBB built with" \
    "-DTBB_SANITIZE=thread into build-tsan/tbb and try again."
  say "building TBB for the thread sanitizer in $work, from the source package onetbb of $codename"
  mkdir -p "$work"/lists/partial "$work"/cache/archives/partial
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $codename main" >"$work/sources.list"
  local apt=(apt-get -qq -o APT::Sandbox::User=root -o Dir::Etc::SourceList="$work/sources.list"
             -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache")
  "${apt[@]}" update
  (cd "$work" && "${apt[@]}" source --download-only --tar-only onetbb && mkdir -p source &&
    tar xf onetbb_*.orig.tar.* -C source --strip-components=1)
  cmake -G Ninja -S "$work/source" -B "$work/build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DTBB_SANITIZE=thread \
    -DTBB_TEST=OFF -DTBB_STRICT=OFF -DTBBMALLOC_BUILD=OFF >/dev/null
  cmake --build "$work/build" >/dev/null
  cmake --install "$work/build" --prefix "$PWD/build-tsan/tbb" >/dev/null
}
