// Markdown in a package: a link to a file that is not in the package leads to the repository, where that has an address, and is
// text otherwise. So no link of a package is dead.

import { dirname, posix } from 'node:path'

/** Links and pictures: what the brackets hold, the path, and a place in the file. */
const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)/g
/** Host of an address that nobody has filled in: see CONTRIBUTING.md. */
const NO_ADDRESS = 'example.invalid'

/**
 * Returns a text with links that work in the package.
 *
 * @param {string} markdown
 * @param {{ path: string, files: ReadonlySet<string>, homepage: string }} place of the text in the package, all files of it, and the
 *   repository's page
 */
export function packedText(markdown, { path, files, homepage }) {
  return markdown.replaceAll(LINK, (link, picture, text, target, anchor = '') => {
    const file = posix.join(dirname(path), target)
    if (files.has(file)) return link
    const address = addressOf(file, homepage)
    if (address) return `${picture}[${text}](${address}${anchor})`
    return picture ? text : `${text} (in the repository)`
  })
}

/** @param {string} file @param {string} homepage */
function addressOf(file, homepage) {
  const { origin, pathname, hostname } = new URL(homepage)
  return hostname === NO_ADDRESS ? undefined : `${origin}${pathname}/blob/HEAD/${file}`
}
