// @slow

// The demo page's commands for pasting, in every shell that it supports: any text of a message stays a text.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { commandFor } from '../../examples/demo/panels/verify/shell.js'
import { UNSEEN } from '../../examples/demo/ui/code.js'
import { utf8 } from '../support/bytes.js'

/** The number of texts; the attack suite runs 10,000. */
const TEXTS = Number(process.env['SHELL_TEXTS'] ?? 500)
/** The number of texts per script, because a system limits the length of its command line. */
const TOGETHER = 250

const piece = fc.oneof(
  fc.constantFrom(
    ...[
      "'",
      '"',
      '\\',
      '`',
      '$',
      '$(touch PWNED)',
      '`touch PWNED`',
      ';touch PWNED;',
      '\n',
      '!',
      '!!',
      '%s',
      '%',
      '#',
    ],
    ...[
      '~',
      '*',
      '{a,b}',
      '(',
      ')',
      '|',
      '&',
      '<',
      '>',
      '\0',
      '\x1b[201~',
      "\\'",
      "'\\''",
      '\\\\',
      '-n',
      '=ls',
      '\u202e',
    ],
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
)
const text = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''))

/** Returns the words that print the message, without the command that reads it. */
function handedOver(message: string): string {
  const lines = commandFor({ message: utf8(message), payload: undefined, keys: '' }).split('\n')
  expect(lines).toHaveLength(2)
  return (lines[1] as string).replace(/ \| alvarium verify $/, '')
}

/** Returns the expected output: readable texts end with a line end. */
function expected(message: string): string {
  return message.split('\n').some((line) => UNSEEN.test(line)) ? message : `${message}\n`
}

it.each(['sh', 'bash', 'zsh', 'fish'])(
  'a command copied from the demo page keeps random texts unchanged in %s',
  (shell) => {
    const folder = mkdtempSync(join(tmpdir(), 'alvarium-shells-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const texts = fc.sample(text, TEXTS)
    for (let at = 0; at < TEXTS; at += TOGETHER) {
      const some = texts.slice(at, at + TOGETHER)
      const script = some.map((one) => `${handedOver(one)}\nprintf '\\003'`).join('\n')
      // Bash warns about a locale that is not installed.
      const env = { ...process.env, LC_ALL: 'C.UTF-8' }
      const { stdout, stderr } = spawnSync(shell, ['-c', script], { cwd: folder, env })
      expect(String(stderr)).toBe('')
      expect(Buffer.compare(stdout, Buffer.from(some.map((one) => `${expected(one)}\x03`).join('')))).toBe(0)
    }
    expect(readdirSync(folder)).toEqual([])
  },
)
