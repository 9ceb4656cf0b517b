// Rewrites links in a package's Markdown. A link to a file outside the package leads to the repository, or becomes text
// if the repository has no address. No link of a package is dead.

import { dirname, posix } from 'node:path'

/** Links and pictures: the text in brackets, the path, and the anchor. */
const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)/g
/** Host of a placeholder address: see CONTRIBUTING.md. */
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

/**
 * Returns the address of a file in the repository, if it has one.
 *
 * @param {string} file
 * @param {string} homepage
 */
function addressOf(file, homepage) {
  const { origin, pathname, hostname } = new URL(homepage)
  return hostname === NO_ADDRESS ? undefined : `${origin}${pathname}/blob/HEAD/${file}`
}
