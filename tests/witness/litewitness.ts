import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { kill, type WitnessProcess } from './process.js'

/** Adds a log to the database of litewitness. Its own command for that, witnessctl, needs modules that not every proxy has. */
const ADD_LOG = `
import base64, hashlib, sqlite3, sys
file, *vkeys = sys.argv[1:]
with sqlite3.connect(file, timeout=10) as database:
    for vkey in vkeys:
        origin = vkey.split("+")[0]
        empty = base64.b64encode(hashlib.sha256().digest()).decode()
        database.execute("insert or ignore into log values (?, 0, ?)", (origin, empty))
        if not database.execute("select 1 from key where origin = ?", (origin,)).fetchone():
            database.execute("insert into key values (?, ?)", (origin, vkey))
`

/** A witness of torchwood in Go: an SQLite database, and an ssh-agent with the private key. */
export class Litewitness {
  readonly #program: string
  readonly #folder: string
  readonly #agent: ChildProcess
  readonly #fingerprint: string

  private constructor(program: string, folder: string, agent: ChildProcess, fingerprint: string) {
    this.#program = program
    this.#folder = folder
    this.#agent = agent
    this.#fingerprint = fingerprint
  }

  /** Creates the private key, and starts an agent with it. @param program - litewitness, compiled */
  static async open(program: string, folder: string): Promise<Litewitness> {
    mkdirSync(folder, { recursive: true })
    const [key, socket] = [join(folder, 'key'), join(folder, 'agent')]
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(agent.stdout, 'data')
    execFileSync('ssh-add', ['-q', key], { env: { ...process.env, SSH_AUTH_SOCK: socket } })
    const [, fingerprint = ''] = execFileSync('ssh-keygen', ['-lf', key], { encoding: 'utf8' }).split(' ')
    return new Litewitness(program, folder, agent, fingerprint)
  }

  /** Starts the witness, again after a kill. @param logs - public keys of logs, `name+id+key` */
  async start(name: string, logs: readonly string[], port: number): Promise<WitnessProcess> {
    const [database, socket] = [join(this.#folder, 'witness.db'), join(this.#folder, 'agent')]
    const options = ['-db', database, '-ssh-agent', socket, '-key', this.#fingerprint]
    const isNew = !existsSync(database)
    const child = spawn(this.#program, [...options, '-name', name, '-listen', `127.0.0.1:${port}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const vkey = await vkeyIn(child)
    if (isNew) execFileSync('python3', ['-c', ADD_LOG, database, ...logs])
    const url = `http://127.0.0.1:${port}`
    await answers(url)
    return { url, vkey, kill: () => kill(child) }
  }

  close(): void {
    this.#agent.kill()
  }
}

/** Waits for the public key in the log of the witness. Its later lines are read, too: it would end on a closed pipe. */
async function vkeyIn({ stderr }: ChildProcess): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    stderr?.on('data', (piece) => {
      text += piece
      const [, vkey] = /vkey=(\S+)\s/.exec(text) ?? []
      if (vkey !== undefined) resolve(vkey)
    })
    stderr?.on('end', () => reject(new Error(`litewitness did not start: ${text}`)))
  })
}

/** Waits until the witness listens. */
async function answers(url: string): Promise<void> {
  for (let left = 200; left > 0; left--) {
    const answer = await fetch(url).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`litewitness does not listen at ${url}`)
}
