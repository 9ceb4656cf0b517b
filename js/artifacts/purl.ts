import type { Package } from './locks/package.js'

/** What tells packages apart, those of ecosystems without lock files here too. */
export type Named = Pick<Package, 'name' | 'version'> & { readonly ecosystem: string }

/**
 * The package that a package URL names (https://github.com/package-url/purl-spec), in the words of lock files; of other
 * types it is named by the URL's own.
 *
 * @throws Error when it is none, or has no version
 */
export function packageOfPurl(purl: string): Named {
  const [, type = '', path = '', version] =
    /^pkg:\/*([a-z][a-z0-9.+-]*)\/([^?#@]+)@([^?#@]+)/i.exec(purl) ?? []
  if (version === undefined)
    throw new Error(`expected a package URL with a version, got ${JSON.stringify(purl)}`)
  const segments = path.split('/').filter(Boolean).map(decodeURIComponent)
  return inWordsOfLocks(type.toLowerCase(), segments, decodeURIComponent(version))
}

function inWordsOfLocks(type: string, segments: readonly string[], version: string): Named {
  if (type === 'npm') return { ecosystem: 'npm', name: segments.join('/'), version }
  if (type === 'cargo') return { ecosystem: 'crates.io', name: segments.join('/'), version }
  if (type === 'maven') return { ecosystem: 'Maven', name: segments.join(':'), version }
  if (type === 'golang')
    return { ecosystem: 'Go', name: segments.join('/'), version: version.replace(/^v/, '') }
  return { ecosystem: type, name: segments.join('/'), version }
}
