// Functions and constants of a Rust file, by its braces.

import { blank } from './typescript.mjs'

const COMMENT = /\/\/.*|\/\*[\s\S]*?\*\//
const LITERAL =
  /b?r(?<hashes>#*)"[\s\S]*?"\k<hashes>|b?"(?:\\[\s\S]|[^"\\])*"|b?'(?:\\(?:u\{\w+\}|x\w\w|.)|[^'\\\n])'/
const EITHER = new RegExp(`${COMMENT.source}|(?<literal>${LITERAL.source})`, 'g')

/** @param {string} source @returns {import('./declarations.mjs').Reading} */
export function readRust(source) {
  const bare = source.replace(EITHER, (text, ...more) =>
    more.at(-1).literal === undefined ? blank(text) : text,
  )
  const code = source.replace(EITHER, blank)
  const types = [
    ...code.matchAll(/^[ \t]*impl\b(?:[^{]*\bfor\s+|\s*<[^{]*?>\s+|\s+)(?<name>\w+)[^{]*/gm),
  ].map((match) => ({
    name: match.groups?.['name'],
    start: match.index,
    end: endOf(code, match.index),
  }))
  const parts = [...code.matchAll(/\b(?:fn|const|static)\s+(?<name>\w+)\s*(?=[(<:])/g)].map((match) => ({
    name: match.groups?.['name'] ?? '',
    owner: types.findLast(({ start, end }) => start < match.index && match.index < end)?.name,
    start: match.index,
    end: endOf(code, match.index),
  }))
  return { bare, parts }
}

/** Returns the end of the item that starts there: behind its block, or its semicolon. @param {string} code @param {number} start */
function endOf(code, start) {
  let depth = 0
  for (let at = start; at < code.length; at++) {
    const char = code.charAt(at)
    if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) depth--
    if (depth === 0 && (char === '}' || char === ';')) return at + 1
  }
  return code.length
}
