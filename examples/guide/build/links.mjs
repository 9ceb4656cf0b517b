// Checks the links of a built site to files and anchors, but not links to other sites.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/**
 * @param {string} folder
 * @param {string[]} [found] links in the search index, which are checked, too
 * @returns {string[]} dead links, each with its page
 */
export function deadLinks(folder, found = []) {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html'))
    .map((name) => join(folder, name))
  const places = new Map(pages.map((page) => [page, placesIn(readFileSync(page, 'utf8'))]))
  const dead = (page, links) =>
    links
      .filter((link) => !leads(page, link, folder, places))
      .map((link) => `${relative(folder, page)}: ${link}`)
  const root = join(folder, 'search')
  return [...pages.flatMap((page) => dead(page, linksIn(readFileSync(page, 'utf8')))), ...dead(root, found)]
}

/** Pattern of links to other sites. A host name such as `page.md` is a mistake and does not match. */
const ELSEWHERE = /^(?!https?:\/\/[\w.]+\.md(?:\/|$))[a-z]+:/i

/** @param {string} html @returns {string[]} links within the site, without duplicates */
function linksIn(html) {
  const all = [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, link]) => link.replaceAll('&amp;', '&'))
  return [...new Set(all)].filter((link) => !ELSEWHERE.test(link))
}

/** @param {string} html */
function placesIn(html) {
  return new Set([...html.matchAll(/\s(?:id|name)="([^"]*)"/g)].map(([, place]) => place))
}

/** @param {string} page @param {string} link @param {string} folder @param {Map<string, Set<string>>} places */
function leads(page, link, folder, places) {
  const [path, place] = link.split('#', 2).map(decodeURIComponent)
  const file = path === '' ? page : resolve(dirname(page), path)
  if (relative(folder, file).startsWith('..') || !isFile(file)) return false
  return !place || !places.has(file) || places.get(file).has(place)
}

/** @param {string} path */
function isFile(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
