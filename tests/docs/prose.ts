import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../examples/guide/build/pages.mjs'

/** A sentence, or a cell of a table, as a reader sees it: code is `…`, a link is its text. Or a line of code. */
export interface Sentence {
  /** Number of the line on which its paragraph begins. */
  readonly line: number
  readonly text: string
}

/** Beginnings of a paragraph after a line of text: a heading, an item of a list, a row of a table. */
const BEGINNING = /^(?:#+ |\s*[-*] |\s*\d+\. |\|)/

export function sentencesOf(page: string): (Sentence & { readonly place: string })[] {
  const sentences = sentencesIn(readFileSync(join(ROOT, page), 'utf8'))
  return sentences.map((sentence) => ({ ...sentence, place: `${page}:${sentence.line}` }))
}

/** Returns all sentences of a text in Markdown, without its blocks of code. */
export function sentencesIn(markdown: string): Sentence[] {
  return paragraphsOf(withoutBlocks(markdown)).flatMap(({ line, text }) =>
    piecesOf(plain(text)).map((piece) => ({ line, text: piece })),
  )
}

export function wordsIn({ text }: Sentence): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}…]/u.test(word)).length
}

/** Returns the lines in the blocks of code of a text in Markdown. */
export function blockLinesIn(markdown: string): Sentence[] {
  const lines: Sentence[] = []
  let isCode = false
  for (const [at, text] of markdown.split('\n').entries()) {
    if (/^\s*```/.test(text)) isCode = !isCode
    else if (isCode) lines.push({ line: at + 1, text })
  }
  return lines
}

/** Empties the lines of blocks, so that the others keep their numbers. */
function withoutBlocks(markdown: string): string {
  return markdown.replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/[^\n]/g, ''))
}

function paragraphsOf(text: string): Sentence[] {
  const paragraphs: { line: number; text: string }[] = []
  let isOpen = false
  for (const [at, line] of text.split('\n').entries()) {
    const last = paragraphs.at(-1)
    const isMore = isOpen && !BEGINNING.test(line)
    isOpen = line.trim() !== ''
    if (isMore && last) last.text += ` ${line.trim()}`
    else if (isOpen) paragraphs.push({ line: at + 1, text: line })
  }
  return paragraphs
}

function plain(text: string): string {
  return text
    .replaceAll(/`[^`]*`/g, '`…`')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*?|\\(?=\|)/g, '')
}

/** Returns the cells of a row, or the sentences of any other text. */
function piecesOf(text: string): string[] {
  const cells = text.startsWith('|') ? text.split('|') : [text.replace(BEGINNING, '')]
  return cells
    .flatMap((cell) => cell.split(/(?<=[.!?][)"]?)\s+/))
    .map((piece) => piece.trim())
    .filter((piece) => /[\p{L}…]/u.test(piece))
}
