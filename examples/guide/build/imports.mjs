// Reads the table of imports in README: package entries, their names, and the purpose of each.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './pages.mjs'

const HEADING = '\n## What to import\n'

/**
 * @typedef {{ from: string, names: string[], purpose: string }} Import row of the table. `purpose` is
 * Markdown with links relative to README.
 */

/** @param {string} [readme] @returns {Import[]} */
export function importsIn(readme = readFileSync(join(ROOT, 'README.md'), 'utf8')) {
  const [, after = ''] = readme.split(HEADING)
  const [section = ''] = after.split('\n## ', 1)
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, from = '', names = '', purpose = '']) => ({
      from: from.replaceAll('`', ''),
      names: [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
      purpose,
    }))
}

/** Returns the import statement of a row. @param {Import} row */
export function importLine({ from, names }) {
  if (names.length === 0) return `import '${from}'`
  const line = `import { ${names.join(', ')} } from '${from}'`
  return line.length <= 76 ? line : `import {\n  ${names.join(',\n  ')},\n} from '${from}'`
}
