// @internal: a command in the process of its test takes a tenth of the time
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable, Transform } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { command } from '../../dist/cli/command.js'
import { programFor } from '../../dist/cli/program.js'

export { command, programFor }

/** The module that runs as `alvarium`. */
export const COMMAND = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

export interface Ran {
  readonly out: string
  readonly err: string
  readonly code: number | null
}

export interface How {
  readonly input?: string | Uint8Array | AsyncIterable<Uint8Array>
  readonly onOut?: (piece: string) => void
  readonly signal?: AbortSignal
}

/** Runs the command in this process, which takes a tenth of the time. */
export async function alvarium(args: readonly string[], how: How = {}): Promise<Ran> {
  const { input = '', onOut = () => {}, signal } = how
  const stdout = new Transform({
    transform(piece, _, pass) {
      onOut(String(piece))
      pass(null, piece)
    },
  })
  const stderr = new PassThrough()
  const said = Promise.all([text(stdout), text(stderr)])
  const isAtOnce = typeof input === 'string' || input instanceof Uint8Array
  const stdin = Readable.from(isAtOnce ? [Buffer.from(input)] : input)
  const code = await command(args, { stdin, stdout, stderr }, signal ?? new AbortController().signal)
  stdout.end()
  stderr.end()
  const [out, err] = await said
  return { out, err, code }
}

/** Returns the result of an action, and the peak memory of its array buffers in MiB. */
export async function heldBy<T>(act: () => Promise<T>): Promise<{ result: T; mib: number }> {
  const held = () => process.memoryUsage().arrayBuffers / (1024 * 1024)
  const before = held()
  let mib = 0
  const watching = setInterval(() => {
    mib = Math.max(mib, held() - before)
  }, 1)
  try {
    const result = await act()
    return { result, mib }
  } finally {
    clearInterval(watching)
  }
}

export interface HowApart {
  readonly cwd?: string
  readonly input?: string | Uint8Array
  readonly env?: Record<string, string>
}

/** Runs the command between pipes, as scripts do. */
export function inPipe(args: readonly string[], how: HowApart = {}): Promise<Ran> {
  return run(process.execPath, [COMMAND, ...args], how)
}

/** Python has pseudo-terminals, Node has none. */
const IN_TERMINAL = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))'

/** Runs the command in a pseudo-terminal, as people do; `out` has all visible output. */
export function inTerminal(args: readonly string[], how: HowApart = {}): Promise<Ran> {
  return run('python3', ['-c', IN_TERMINAL, process.execPath, COMMAND, ...args], how)
}

function run(
  program: string,
  args: readonly string[],
  { cwd, input = '', env = {} }: HowApart,
): Promise<Ran> {
  // The environment has only these variables, because NO_COLOR, FORCE_COLOR and CI change colours.
  const { PATH, HOME } = process.env
  const child = spawn(program, args, { cwd, env: { PATH, HOME, TERM: 'xterm-256color', ...env } })
  // A command that fails early does not read its input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', async (code) => {
      const [out, err] = await said
      resolve({ out, err, code })
    })
  })
}

/** A short path, because the command shows only the end of a long one. */
const ABOVE = process.platform === 'win32' ? tmpdir() : '/tmp'

export async function folder(): Promise<string> {
  const path = await mkdtemp(join(ABOVE, 'alvarium-cli-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

/** Returns the output with file names instead of whole or shortened paths. */
export function withoutFolder(said: string): string {
  return said.replaceAll(/…\/|[^\s']*alvarium-cli-\w+\//g, '')
}

/** Runs the command and reads only its first output, as `head` does. */
export function cutOff(args: readonly string[]): Promise<{ code: number | null; err: string }> {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.once('data', () => child.stdout.destroy())
  const said = text(child.stderr)
  return new Promise((resolve) => {
    child.on('close', async (code) => resolve({ code, err: await said }))
  })
}
