// Finds pages, sections and names by words, for the site's search and for the check of the search. MiniSearch
// ranks the results; the list of stop words is ours.

import MiniSearch from 'minisearch'

/**
 * @typedef {object} Findable
 * @property {string} title heading of a page or section, or name of a symbol
 * @property {string} page heading of the page, or module of the symbol
 * @property {string} url relative to the root of the site
 * @property {string} text
 * @property {boolean} isGuide true for a page or section of the guide
 *
 * @typedef {Findable & { excerpt: string }} Found
 */

/** Stop words, which a search ignores. */
const STOP = new Set(
  'a an and data are can did do does for from how i in is it my of on or that the this to was what when where which why with without you your'.split(
    ' ',
  ),
)

/** Words of users' questions, with the guide's words for the same thing. */
const SYNONYMS = {
  aws: ['aws', 'kms'],
  docker: ['docker', 'compose'],
  eacces: ['file_unreadable'],
  happened: ['lineage'],
  k8s: ['kubernetes'],
  memory: ['memory', 'default'],
  offline: ['outbox'],
  revoke: ['revoke', 'revocation'],
}

const CODE = /^```.*?^```/gms
const EXCERPT = 160
const MAX_RESULTS = 10

/**
 * Returns a search function. Results contain all words or, if there is no such result, any of the words.
 *
 * @param {readonly Findable[]} documents
 * @returns {(text: string) => readonly Found[]} the ten best results
 */
export function finder(documents) {
  const index = new MiniSearch({
    fields: ['title', 'page', 'prose', 'text'],
    tokenize: wordsIn,
    processTerm: termOf,
  })
  index.addAll(documents.map((one, id) => ({ ...one, id, prose: one.text.replace(CODE, '') })))
  return (text) => {
    const terms = termsOf(text)
    const options = {
      boost: { title: 8, page: 3, prose: 2 },
      prefix: true,
      fuzzy: (/** @type {string} */ term) => (term.length > 5 ? 0.15 : false),
      boostDocument: (/** @type {number} */ id) => (documents[id]?.isGuide ? 4 : 1),
    }
    const all = index.search(queryOf(terms, 'AND'), options)
    const results = all.length > 0 ? all : index.search(queryOf(terms, 'OR'), options)
    return results.slice(0, MAX_RESULTS).map(({ id, match }) => foundOf(documents[id], Object.keys(match)))
  }
}

/** @param {readonly string[]} terms @param {'AND' | 'OR'} combineWith @returns {import('minisearch').Query} */
function queryOf(terms, combineWith) {
  const queries = terms.map((term) => ({ combineWith: 'OR', queries: SYNONYMS[term] ?? [term] }))
  return { combineWith, queries }
}

/** @param {string} text */
function wordsIn(text) {
  return text.split(/[^\p{L}\p{N}_]+/u).filter(Boolean)
}

/** Returns the words without stop words; all words if each one is a stop word. @param {string} text */
function termsOf(text) {
  const words = wordsIn(text.toLowerCase())
  const counting = words.filter((word) => !STOP.has(word))
  return counting.length > 0 ? counting : words
}

/** Returns a word in the singular and in lower case. @param {string} word */
function termOf(word) {
  return word.toLowerCase().replace(/(?<=[^s]{3})s$/, '')
}

/** @param {Findable} document @param {readonly string[]} words @returns {Found} */
function foundOf(document, words) {
  const plain = document.text
    .replace(/[`*|#]|\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
  const lower = plain.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0)
  const from = Math.max(0, Math.min(...places, plain.length) - 40)
  const start = from === 0 || places.length === 0 ? 0 : plain.indexOf(' ', from) + 1
  const cut = plain.slice(start, start + EXCERPT)
  const excerpt = `${start > 0 ? '… ' : ''}${cut}${start + EXCERPT < plain.length ? ' …' : ''}`
  return { ...document, excerpt }
}
