import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const program = fileURLToPath(new URL('outbox-user.mjs', import.meta.url))

/** A process with an outbox, and its output up to now. */
export interface OutboxProcess {
  readonly child: ChildProcess
  /** Numbers of the calls that have resolved. */
  readonly stored: number[]
  /** Codes of the calls that were rejected. */
  readonly failed: string[]
  /** Resolves once the condition is true, which is checked at every line. */
  until(enough: () => boolean): Promise<void>
  /** Kills the process, as a power cut does, except for data that the system has not written yet. */
  kill(): Promise<void>
}

/** Starts the process. @param shell - put before the command, for its limits */
export function startOutbox(options: object, shell = ''): OutboxProcess {
  const command = `${shell} exec "$0" "$@"`
  const args = ['-c', command, process.execPath, program, JSON.stringify(options)]
  const child = spawn('bash', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [stored, failed]: [number[], string[]] = [[], []]
  let check = () => {}
  const lines = createInterface(child.stdout)
  lines.on('line', (line) => {
    const [word, what = ''] = line.split(' ')
    if (word === 'stored') stored.push(Number(what))
    else failed.push(what)
    check()
  })
  const until = (enough: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      child.once('exit', (code, signal) => reject(new Error(`it ended with ${code ?? signal}`)))
      check = () => enough() && resolve()
      check()
    })
  const kill = async () => {
    const closed = once(lines, 'close')
    child.kill('SIGKILL')
    await closed
  }
  return { child, stored, failed, until, kill }
}

/** Sends the stored messages, and resolves when the outbox is empty. */
export async function drain(options: object): Promise<void> {
  const { child } = startOutbox({ ...options, drain: true })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`draining: expected it to end with 0, got ${code}`)
}
