import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dist, NAMES } from '../../js/build/package/names.mjs'

const AT_ONCE = /^(?:import|export)\b[^'"]*['"]([^'"]+)['"];?$/gm

/** What a module imports in turn, itself included: by paths, and what is no file of ours by its name. */
function importedBy(module: string): Set<string> {
  const found = new Set([module])
  for (const path of found) {
    if (!path.startsWith('/')) continue
    for (const [, to = ''] of readFileSync(path, 'utf8').matchAll(AT_ONCE))
      found.add(to.startsWith('.') ? join(path, '..', to) : to)
  }
  return found
}

it.each(Object.entries(NAMES))('%s says what its platform is, if it has to know', (_, path) => {
  const imported = importedBy(dist(path))
  const asks = imported.has(dist('platform/platform'))
  expect(imported.has('#platform')).toBe(asks)
})
