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

/** What a command has put out, and how it ended. */
export interface Ran {
  readonly out: string
  readonly err: string
  readonly code: number | null
}

/** How to run it. */
export interface How {
  /** What is piped in, at once or as it comes. */
  readonly input?: string | Uint8Array | AsyncIterable<Uint8Array>
  /** Called when it writes something to its standard output. */
  readonly onOut?: (piece: string) => void
  readonly signal?: AbortSignal
}

/** Runs the command in this process: it takes a tenth of the time. */
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

/** What something comes to, and the most memory of array buffers that it held meanwhile, in MiB. */
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

/** How to run it in a process of its own. */
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

/** Runs the command in a pseudo-terminal, as people do; all that they would see is in `out`. */
export function inTerminal(args: readonly string[], how: HowApart = {}): Promise<Ran> {
  return run('python3', ['-c', IN_TERMINAL, process.execPath, COMMAND, ...args], how)
}

function run(
  program: string,
  args: readonly string[],
  { cwd, input = '', env = {} }: HowApart,
): Promise<Ran> {
  // Of this process' environment no more than that: NO_COLOR, FORCE_COLOR and CI say whether there are colours.
  const { PATH, HOME } = process.env
  const child = spawn(program, args, { cwd, env: { PATH, HOME, TERM: 'xterm-256color', ...env } })
  // Who refuses the command does not read what is piped in.
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

/** Short, wherever temporary files are put: of a long path the command shows the end alone. */
const ABOVE = process.platform === 'win32' ? tmpdir() : '/tmp'

/** A folder of this test's own. */
export async function folder(): Promise<string> {
  const path = await mkdtemp(join(ABOVE, 'alvarium-cli-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

/** What was said, with names of files alone, whether their paths were shown in whole or shortened. */
export function withoutFolder(said: string): string {
  return said.replaceAll(/…\/|[^\s']*alvarium-cli-\w+\//g, '')
}

/** Runs the command, and reads no more than the first it says: as `head` does. */
export function cutOff(args: readonly string[]): Promise<{ code: number | null; err: string }> {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.once('data', () => child.stdout.destroy())
  const said = text(child.stderr)
  return new Promise((resolve) => {
    child.on('close', async (code) => resolve({ code, err: await said }))
  })
}
