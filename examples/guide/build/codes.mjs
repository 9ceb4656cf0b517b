// Writes a page for each error code. Each page has a permanent address, and redirects to Troubleshooting.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { resultsOf } from './search.mjs'

const CODE = /^[A-Z]+(_[A-Z]+)+$/

/** @param {string} folder of a built site; throws if its search index has no error codes */
export async function writeCodePages(folder) {
  const codes = resultsOf(folder).filter(({ title, page }) => page === 'Troubleshooting' && CODE.test(title))
  if (codes.length === 0) throw new Error('Troubleshooting: expected a section for each error code, got none')
  await mkdir(join(folder, 'errors'))
  await Promise.all(
    codes.map(({ title, url }) =>
      writeFile(join(folder, 'errors', `${title}.html`), pageTo(title, `../${url}`)),
    ),
  )
}

/** @param {string} code @param {string} address */
const pageTo = (code, address) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${code}</title>
<meta http-equiv="refresh" content="0; url=${address}">
<a href="${address}">${code}</a>
`
