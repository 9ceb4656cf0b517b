/**
 * Lock files, and lists of packages to install, that nothing here reads. A project with one of them has packages that are unknown here. The
 * file's name suffices, so its format need not be understood.
 */
const OTHERS: ReadonlySet<string> = new Set([
  ...['pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb', 'deno.lock'], // JavaScript
  ...['Cargo.lock'], // Rust
  ...['go.work', 'glide.lock', 'Gopkg.lock'], // Go
  ...[
    'gradle.lockfile',
    'buildscript-gradle.lockfile',
    'build.gradle',
    'build.gradle.kts',
    'build.sbt',
    'deps.edn',
  ], // JVM
  ...[
    'requirements.txt',
    'Pipfile.lock',
    'poetry.lock',
    'pdm.lock',
    'uv.lock',
    'pylock.toml',
    'conda-lock.yml',
  ], // Python
  ...['Gemfile.lock', 'gems.locked'], // Ruby
  ...['composer.lock'], // PHP
  ...['packages.lock.json', 'packages.config', 'paket.lock'], // .NET
  ...['pubspec.lock'], // Dart
  ...['Package.resolved', 'Podfile.lock', 'Cartfile.resolved'], // Swift
  ...['mix.lock', 'rebar.lock'], // Erlang
  ...['stack.yaml.lock', 'cabal.project.freeze'], // Haskell
  ...['conan.lock', 'vcpkg.json'], // C and C++
  ...['renv.lock'], // R
  ...['Manifest.toml'], // Julia
  ...['cpanfile.snapshot', 'shard.lock'], // Perl, Crystal
])

/** Returns the names in a folder that belong to such lock files. */
export function otherLocks(names: readonly string[]): string[] {
  return names.filter((name) => OTHERS.has(name)).sort()
}
