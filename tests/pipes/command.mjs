// The command in a separate process, which is killed at random.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const COMMAND = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** Starts the command. @param {readonly string[]} args */
export function start(args) {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (piece) => {
    said += piece
  })
  return { child, ended: once(child, 'close').then(([code]) => ({ code, said })) }
}

/**
 * Runs the command and kills it: at a random time, or in the middle of a write.
 *
 * @param {readonly string[]} args
 * @param {import('../damage/random.mjs').Random} random
 * @param {string} path of the file whose growth is watched; it may never be there
 * @param {number} longestMs
 * @param {Promise<unknown>} [ready] resolves when the command listens: half of the kills come after it
 */
export async function runAndKill(args, random, path, longestMs, ready) {
  const { child, ended } = start(args)
  if (random(2) === 0 && ready) await Promise.race([ready, ended])
  const afterGrowths = random(2) === 0 ? 1 + random(8) : Number.POSITIVE_INFINITY
  const end = performance.now() + random(longestMs)
  let growths = 0
  for (let size = sizeOf(path); performance.now() < end && growths < afterGrowths; ) {
    // A loop without turns of the event loop sees a growth within microseconds; a turn every millisecond lets other
    // work run.
    for (const until = performance.now() + 1; performance.now() < until && growths < afterGrowths; ) {
      const now = sizeOf(path)
      if (now !== size) growths++
      size = now
    }
    await sleep(0)
  }
  child.kill('SIGKILL')
  return ended
}

/** @param {string} path */
export function sizeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
