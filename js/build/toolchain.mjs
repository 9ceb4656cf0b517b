// Finds a cargo that compiles to WebAssembly: see crate/README.md, "Find a toolchain".

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { canInstall, find, install } from './debian.mjs'

const TARGET = 'wasm32-unknown-unknown'
const DEBIAN_PACKAGES = ['rustc-web', 'cargo-web', 'rust-web-src', 'rust-web-llvm', 'lld']

const DEBIAN_NATIVE = ['rustc-web', 'cargo-web', 'rust-web-clippy', 'rustfmt-web', 'gcc', 'libc6-dev']

const NOTHING_FOUND = `No Rust toolchain here can compile to WebAssembly. Either
  - install rustup (https://rustup.rs) and run: rustup target add ${TARGET}
  - or, on Debian as root: apt-get install ${DEBIAN_PACKAGES.join(' ')}
and run the command again.`

/** Returns the cargo for WebAssembly, with its arguments and environment: `{ cargo, args, env }`. */
export function wasmToolchain() {
  const toolchain = installedTarget() ?? addedTarget() ?? debianSource()
  if (!toolchain) throw new Error(NOTHING_FOUND)
  return toolchain
}

/** Returns the path of a cargo for native code. Installs Debian's packages if PATH has no cargo. */
export function nativeCargo() {
  if (!find('cargo')) install(DEBIAN_NATIVE, 'Rust is missing')
  return find('cargo')
}

function installedTarget() {
  const cargo = find('cargo')
  return cargo && hasTarget('rustc') ? { cargo, args: [], env: {} } : undefined
}

function hasTarget(rustc) {
  try {
    const sysroot = execFileSync(rustc, ['--print', 'sysroot'], { encoding: 'utf8' }).trim()
    return existsSync(join(sysroot, 'lib/rustlib', TARGET))
  } catch {
    return false
  }
}

function addedTarget() {
  if (!find('rustup')) return undefined
  try {
    execFileSync('rustup', ['target', 'add', TARGET], { stdio: 'ignore', timeout: 120_000 })
    return installedTarget()
  } catch {
    return undefined // No network, or rustup does not have the target: try Debian's source next.
  }
}

/** Returns Debian's toolchain, with which cargo compiles the standard library from its source. */
function debianSource() {
  const isThere = () =>
    existsSync('/usr/bin/cargo') && existsSync('/usr/lib/rustlib/src/rust') && find('wasm-ld')
  if (!isThere() && canInstall()) install(DEBIAN_PACKAGES, `No Rust here has the ${TARGET} target`)
  if (!isThere()) return undefined
  return {
    cargo: '/usr/bin/cargo',
    args: ['-Z', 'build-std=core,alloc'],
    env: {
      PATH: `/usr/bin:${process.env.PATH}`,
      RUSTC_BOOTSTRAP: '1', // Allows the unstable `-Z build-std`. The compiler and the source are of one release.
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: 'wasm-ld',
    },
  }
}
