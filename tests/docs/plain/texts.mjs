// Collects the texts that a source file has for readers: comments, docstrings, titles of tests, and declared names.

import { extname } from 'node:path'
import { parse } from './parser.mjs'
import { patternReader } from './patterns.mjs'

/**
 * Docstring of a function or of anything else, other comment, tag of a docstring, title of a test, title as a log shows it (behind
 * the titles around it), declared name, name of a member, sentence that a program prints.
 *
 * @typedef {'function' | 'value' | 'comment' | 'tag' | 'title' | 'logged' | 'name' | 'member' | 'printed'} Kind
 */
/**
 * A text for readers.
 *
 * @typedef {object} Text
 * @property {Kind} kind
 * @property {string} text one line, with `…` for code
 * @property {readonly (readonly [index: number, position: number])[]} places position in the file of each line of the text
 */
/** @typedef {{ start: number, end: number, kind: Kind }} Comment */
/** @typedef {{ comments: Comment[], texts: Text[] }} Contents */

const FOR_TOOLS = /^(?:biome-ignore|@ts-|#!|\/ ?<reference|<reference|[@#]__|@vite)/
const MARKS = /^\s*(?:\/\*+|\/\/[/!]?|\*(?!\/)|#+|""") ?|\s*(?:\*\/|""")\s*$/g
const TAG_NAMES = 'param|returns|throws|internal|example|typedef|property|type|template|callback|import'
const TAGS = new RegExp(`\\s*(?<!\\S)(?=@(?:${TAG_NAMES})\\b)`)
/** A tag with its type and its name. */
const TAG =
  /^@(?:(?:param|property|typedef|template|callback|throws) *(?:\{.*?\}+)? *\S*(?: -)?|\w+ *(?:\{.*?\}+)?) */

/** Returns all texts of a file. @param {string} path @param {string} source @returns {Text[]} */
export function textsOf(path, source) {
  const { comments, texts } = (patternReader(extname(path)) ?? parse)(source, path)
  return [...joinLines(source, comments).flatMap((comment) => textsIn(source, comment)), ...texts]
}

/** Joins line comments that stand below one another. @param {string} source @param {readonly Comment[]} comments */
function joinLines(source, comments) {
  /** @type {Comment[]} */
  const blocks = []
  for (const comment of comments) {
    const last = blocks.at(-1)
    const mark = /^(?:\/\/[/!]?|#)/.exec(source.slice(comment.start))?.[0]
    const isMore = mark && last?.kind === comment.kind && source.startsWith(mark, last.start)
    const isAlone = isMore && /(?:^|\n)[ \t]*$/.test(source.slice(0, last.start))
    if (isAlone && /^\n[ \t]*$/.test(source.slice(last.end, comment.start))) last.end = comment.end
    else blocks.push({ ...comment })
  }
  return blocks
}

/** Returns the text of a comment, and those of its tags. @param {string} source @param {Comment} comment @returns {Text[]} */
function textsIn(source, { start, end, kind }) {
  const texts = [{ kind, text: '', places: [] }]
  let isCode = false
  let position = start
  for (const line of source.slice(start, end).split('\n')) {
    const text = line.replaceAll(MARKS, '')
    if (text.startsWith('```')) isCode = !isCode
    if (!isCode && !/^(?: {4}|```)/.test(text) && !FOR_TOOLS.test(text)) addLine(texts, text, position)
    position += line.length + 1
  }
  return texts.filter(({ text }) => text !== '')
}

/** Adds a line to the last text. Each tag begins another text, but `@internal` does not. */
function addLine(texts, line, position) {
  for (const part of line.replaceAll(/\{@link [^}]*\}|`[^`]*`/g, '…').split(TAGS)) {
    if (/^@(?!internal)/.test(part)) texts.push({ kind: 'tag', text: '', places: [] })
    const last = texts.at(-1)
    const text = part.replace(TAG, '').trim()
    if (text === '') continue
    last.places.push([last.text.length, position])
    last.text += last.text === '' ? text : ` ${text}`
  }
}
