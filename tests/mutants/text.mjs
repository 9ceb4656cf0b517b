// Compares source text by its tokens: comments, white space and line breaks do not count, and a name that is gone may have another.

import ts from 'typescript'

const NAME = /(?<![\w$])[A-Za-z_$][\w$]*/g
const RUST_KEYWORDS = [
  'fn',
  'mut',
  'match',
  'impl',
  'self',
  'Self',
  'pub',
  'use',
  'where',
  'loop',
  'move',
  'ref',
]
const KEYWORDS = new Set(RUST_KEYWORDS)
for (let kind = ts.SyntaxKind.FirstKeyword; kind <= ts.SyntaxKind.LastKeyword; kind++)
  KEYWORDS.add(String(ts.tokenToString(kind)))

/**
 * @typedef {object} Plain
 * @property {string} text without white space, but for one space between two words, and without commas at the end of a list
 * @property {readonly number[]} at the offset in the source of each of its characters
 *
 * @typedef {object} Match
 * @property {number} start in the source
 * @property {number} end
 * @property {ReadonlyMap<string, string>} names names of the searched text that the source has others for
 */

/** @param {string} source without comments @param {number} [from] @param {number} [to] @returns {Plain} */
export function plain(source, from = 0, to = source.length) {
  let text = ''
  /** @type {number[]} */
  const at = []
  const add = (/** @type {string} */ char, /** @type {number} */ offset) => {
    text += char
    at.push(offset)
  }
  for (const { 0: piece, index } of source.slice(from, to).matchAll(/\S+/g)) {
    if (/[\w$]$/.test(text) && /^[\w$]/.test(piece)) add(' ', from + index - 1)
    if (/,$/.test(text) && /^[)\]}]/.test(piece)) {
      text = text.slice(0, -1)
      at.pop()
    }
    for (let i = 0; i < piece.length; i++) add(piece.charAt(i), from + index + i)
  }
  return { text, at }
}

/** Finds all places of a text as it is. @param {Plain} within @param {string} find @returns {Match[]} */
export function exactMatches(within, find) {
  return matches(within, escaped(plain(find).text), [])
}

/**
 * Finds all places of a text in which each name that the source no longer has is any other name, the same
 * everywhere. At least one name must remain.
 *
 * @param {Plain} within @param {string} find @returns {Match[]}
 */
export function renamedMatches(within, find) {
  const searched = plain(find).text
  const present = new Set(within.text.match(NAME))
  const names = [...new Set(searched.match(NAME))].filter((name) => !KEYWORDS.has(name))
  const gone = names.filter((name) => !present.has(name))
  if (gone.length === 0 || gone.length === names.length) return []
  /** @type {Set<string>} */
  const met = new Set()
  let [pattern, end] = ['', 0]
  for (const { 0: name, index } of searched.matchAll(NAME)) {
    if (!gone.includes(name)) continue
    const group = `n${gone.indexOf(name)}`
    pattern +=
      escaped(searched.slice(end, index)) +
      (met.has(name) ? `\\k<${group}>` : `(?<${group}>[A-Za-z_$][\\w$]*)`)
    pattern += '(?![\\w$])'
    met.add(name)
    end = index + name.length
  }
  return matches(within, pattern + escaped(searched.slice(end)), gone)
}

/** @param {string} text @param {ReadonlyMap<string, string>} names @returns the text with these names replaced */
export function renamed(text, names) {
  return text.replace(NAME, (name) => names.get(name) ?? name)
}

/** @param {Plain} within @param {string} pattern @param {readonly string[]} gone @returns {Match[]} */
function matches({ text, at }, pattern, gone) {
  const whole = new RegExp(`(?<!\\w(?=\\w))${pattern}(?!(?<=\\w)\\w)`, 'g')
  /** @type {Match[]} */
  const found = []
  for (let match = whole.exec(text); match; match = whole.exec(text)) {
    const names = gone.map((name, i) => /** @type {const} */ ([name, match?.groups?.[`n${i}`] ?? name]))
    const last = match.index + match[0].length - 1
    found.push({ start: at[match.index] ?? 0, end: (at[last] ?? 0) + 1, names: new Map(names) })
    whole.lastIndex = match.index + 1
  }
  return found
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
