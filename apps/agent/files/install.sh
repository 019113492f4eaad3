#!/bin/sh
# Installs the FlowForge agent on this machine, or updates it. Served by the platform, which fills in the first lines.
set -eu
address=@ADDRESS@
version=@VERSION@
sha256=@SHA256@

usage() {
  cat <<END
Installs the FlowForge agent $version from $address.

  curl -fsSL $address/agent/install.sh | sudo sh -s -- --otc <code>

  --otc <code>         fetch the credentials of a device with a one-time code (or FLOWFORGE_OTC)
  --forge-url <url>    address of the platform (default $address)
  --prefix <folder>    folder of the program (default /opt/flowforge-agent)
  --dir <folder>       folder of everything the agent keeps (default /var/lib/flowforge-agent)
  --no-service         run here instead of as a service of systemd
END
}

fail() {
  echo "install.sh: $1 ($2)" >&2
  exit 1
}

# All of it is one function, so that a script that arrives in part does nothing.
main() {
  prefix=/opt/flowforge-agent
  dir=/var/lib/flowforge-agent
  code=${FLOWFORGE_OTC:-}
  service=yes
  unset FLOWFORGE_OTC
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help) usage && exit 0 ;;
      --no-service) service=no && shift && continue ;;
      --otc | --forge-url | --ff-url | --prefix | --dir) ;;
      *) fail "There is no option $1. See --help." unknown_option ;;
    esac
    [ $# -ge 2 ] || fail "$1 needs a value." value_missing
    case $1 in
      --otc) code=$2 ;;
      --prefix) prefix=${2%/} ;;
      --dir) dir=${2%/} ;;
      *) address=${2%/} ;;
    esac
    shift 2
  done
  check_machine
  install_program
  program=$prefix/current/bin/flowforge-agent
  register
  if [ "$service" = yes ] && [ "$(id -u)" = 0 ] && [ -d /run/systemd/system ]; then
    "$program" service install --dir "$dir"
  else
    echo "The agent runs until this command ends. Start it again with: $program --dir $dir"
    exec "$program" --dir "$dir"
  fi
}

check_machine() {
  [ "$(uname -s)" = Linux ] || fail "The agent runs on Linux, and this is $(uname -s)." not_linux
  node=$(command -v node || true)
  [ -n "$node" ] || fail "Node.js 20.16 or newer is needed, and there is none on this machine. Install it from https://nodejs.org and run this line again." node_missing
  "$node" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b > 15) ? 0 : 1)' ||
    fail "Node.js 20.16 or newer is needed, and this is $("$node" --version). Install a newer one from https://nodejs.org and run this line again." node_too_old
  command -v tar >/dev/null || fail "tar is needed. Install it and run this line again." tar_missing
}

# Every version has a folder of its own, so that a running agent keeps its files until it is started again.
install_program() {
  target=$prefix/versions/$sha256
  if [ ! -x "$target/bin/flowforge-agent" ]; then
    mkdir -p "$prefix/versions" ||
      fail "$prefix cannot be made. Run as root, or choose other folders with --prefix and --dir." folder_missing
    rm -rf "$prefix"/versions/.new.*
    work=$(mktemp -d "$prefix/versions/.new.XXXXXX") ||
      fail "$prefix cannot be written to. Run as root, or choose other folders with --prefix and --dir." folder_missing
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    echo "Downloading the agent $version ..."
    fetch "$address/agent/flowforge-agent.tgz" "$work/agent.tgz" ||
      fail "The agent cannot be downloaded from $address. Check the network and run this line again." download_failed
    [ "$(sum_of "$work/agent.tgz")" = "$sha256" ] ||
      fail "The download is damaged, or the platform was updated meanwhile. Run this line again." checksum_mismatch
    tar -xzf "$work/agent.tgz" -C "$work" || fail "The agent cannot be unpacked into $prefix. Is the disk full?" unpack_failed
    rm -rf "$target"
    mv "$work/package" "$target"
    rm -rf "$work"
    trap - EXIT HUP INT TERM
  fi
  # It outlasts the versions, and lets the agent update itself: a trial that is under way ends here.
  cp "$target/bin/launch" "$prefix/.launch" && chmod 755 "$prefix/.launch" && mv -f "$prefix/.launch" "$prefix/launch" ||
    fail "$prefix cannot be written to. Is the disk full?" unpack_failed
  rm -f "$prefix/next" "$prefix/trying"
  former=$(readlink "$prefix/current" || true)
  ln -sfn "versions/$sha256" "$prefix/current"
  for old in "$prefix"/versions/*; do
    case $old in "$target" | "$prefix/$former") ;; *) rm -rf "$old" ;; esac
  done
  # Only the usual folder becomes the command of the machine.
  if [ "$prefix" = /opt/flowforge-agent ] && [ -w /usr/local/bin ]; then
    ln -sf "$prefix/current/bin/flowforge-agent" /usr/local/bin/flowforge-agent
  fi
  echo "The agent $version is in $target"
}

fetch() {
  if command -v curl >/dev/null; then
    curl -fsSL --retry 3 -o "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q -O "$2" "$1"
  else
    fail "curl or wget is needed. Install one and run this line again." curl_missing
  fi
}

sum_of() {
  "$node" -e 'process.stdout.write(require("crypto").createHash("sha256").update(require("fs").readFileSync(process.argv[1])).digest("hex"))' "$1"
}

register() {
  if [ -n "$code" ]; then
    "$program" --dir "$dir" --otc "$code" --forge-url "$address" --save ||
      grep -qsF "forgeURL: $address" "$dir/device.yml" || exit 1
    code=
  fi
  if [ ! -e "$dir/device.yml" ]; then
    echo "No device is registered on this machine. Run this line with --otc <code>, or copy the file of the device to $dir/device.yml and run it again."
    exit 0
  fi
}

main "$@"
