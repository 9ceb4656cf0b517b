// Rewrites links in a package's Markdown. A link to a file outside the package leads to the repository, or
// becomes text if the repository has no address.

import { dirname, posix } from 'node:path'

/** Pattern of relative Markdown links and images. Groups: `!` of an image, text, path, anchor. */
const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)/g
/** Host of the placeholder address that package.json has before the first release: see CONTRIBUTING.md. */
const NO_ADDRESS = 'example.invalid'

/**
 * Returns Markdown with links that work in the package.
 *
 * @param {string} markdown
 * @param {{ path: string, files: ReadonlySet<string>, homepage: string }} place path of the Markdown in the
 *   package, the copied files of the package, and the repository's page
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
 * Returns the address of a file in the repository; undefined if the repository has no address.
 *
 * @param {string} file
 * @param {string} homepage
 */
function addressOf(file, homepage) {
  const { origin, pathname, hostname } = new URL(homepage)
  return hostname === NO_ADDRESS ? undefined : `${origin}${pathname}/blob/HEAD/${file}`
}
