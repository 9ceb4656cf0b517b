import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { COMMAND } from '../cli/command.js'

export interface WitnessProcess {
  readonly url: string
  readonly vkey: string
  /** Ends the process, as a loss of power does. */
  kill(): Promise<void>
}

/** Starts `alvarium witness` with a state in a folder. */
export async function startWitness(
  name: string,
  folder: string,
  logs: readonly string[],
  port = 0,
): Promise<WitnessProcess> {
  const options = [
    '--name',
    name,
    '--state',
    folder,
    '--port',
    `${port}`,
    ...logs.flatMap((log) => ['--log', log]),
  ]
  const child = spawn(process.execPath, [COMMAND, 'witness', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [url, vkey] = await linesOf(child)
  return { url, vkey, kill: () => kill(child) }
}

/** Ends a process, unless it has ended. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

async function linesOf({ stdout, stderr }: ChildProcess): Promise<[url: string, vkey: string]> {
  let [out, err] = ['', '']
  stderr?.on('data', (piece) => {
    err += piece
  })
  for await (const piece of stdout as NonNullable<typeof stdout>) {
    out += piece
    const [, url, vkey] = /(http:\S+)\n.*readers: (\S+)\n/.exec(out) ?? []
    if (url !== undefined && vkey !== undefined) {
      stdout?.resume()
      return [url, vkey]
    }
  }
  throw new Error(`the witness did not start: ${err}`)
}
