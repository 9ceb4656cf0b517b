// Lists the site's pages and the packages' entry points. The pages can also be read in the repository.

import { fileURLToPath } from 'node:url'
import { PACKAGES } from '../../../js/build/package/names.mjs'

/** Folder of the repository, with a trailing slash. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

export const INDEX = 'examples/guide/index.md'

/**
 * Pages other than the home page, by their heading in the navigation, in reading order.
 *
 * @type {Record<string, string[]>}
 */
export const PAGES = {
  'Begin here': guide('quick-start', 'concepts', 'calls', 'command', 'exit-codes'),
  Annotate: [
    ...guide('annotators', 'keys', 'kms', 'algorithms', 'config', 'http', 'services', 'react-vue', 'edge'),
    ...guide('send-payloads', 'streams', 'delivery', 'outages', 'batches', 'pool', 'sources', 'testing'),
  ],
  Verify: [
    ...guide(
      'verifying',
      'records',
      'sets',
      'packs',
      'trust',
      'completeness',
      'witnesses',
      'scoring',
      'store',
      'store-operating',
      'store-drill',
      'databases',
    ),
    'SECURITY.md',
    ...guide('threats'),
    'crate/FORMAT.md',
  ],
  'In production': [
    ...guide(
      'production',
      'gateway',
      'kubernetes',
      'tenants',
      'runtimes',
      'migrating',
      'works-with',
      'python',
      'promises',
      'own-code',
      'troubleshooting',
      'limits',
      'performance',
    ),
    'bench/README.md',
    'CHANGELOG.md',
  ],
}

/** Entry points without exported names: imported for their effect, or started as programs. */
const WITHOUT_NAMES = ['./algorithms', './pool/worker']

/**
 * Returns a pair for each entry point that has exported names: the name to import it by, and the path of its module
 * without the file extension.
 *
 * @returns {[name: string, module: string][]}
 */
export function entries() {
  const isProgram = ([path, file]) => file.endsWith('.js') && !WITHOUT_NAMES.includes(path)
  return PACKAGES.flatMap(({ own: { name, exports } }) =>
    Object.entries(exports)
      .filter(isProgram)
      .map(([path, file]) => [name + path.slice(1), file.replace(/^\.\/dist\/|\.js$/g, '')]),
  )
}

/** @param {string} text */
export const titleOf = (text) => /^# (.+)$/m.exec(text)?.[1]

/** @param {string[]} names */
function guide(...names) {
  return names.map((name) => `examples/guide/${name}.md`)
}
