// The parts of the site: pages, which are read in the repository too, and the entries of the packages.

import { fileURLToPath } from 'node:url'
import { PACKAGES } from '../../../js/build/package/names.mjs'

/** The repository, with a slash behind it. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** The page that comes first. */
export const INDEX = 'examples/guide/index.md'

/** The others, under the headings of the navigation and in the order in which they are read. @type {Record<string, string[]>} */
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
      'judging',
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

/** Imported for their effect, or started as they are. */
const WITHOUT_NAMES = ['./algorithms', './pool/worker']

/** What `import` finds, by name: the module it stands for, without its ending. @returns {[name: string, module: string][]} */
export function entries() {
  const isProgram = ([path, file]) => file.endsWith('.js') && !WITHOUT_NAMES.includes(path)
  return PACKAGES.flatMap(({ own: { name, exports } }) =>
    Object.entries(exports)
      .filter(isProgram)
      .map(([path, file]) => [name + path.slice(1), file.replace(/^\.\/dist\/|\.js$/g, '')]),
  )
}

/** The heading of a page. @param {string} text */
export const titleOf = (text) => /^# (.+)$/m.exec(text)?.[1]

/** @param {string[]} names */
function guide(...names) {
  return names.map((name) => `examples/guide/${name}.md`)
}
