// A child process that is killed and restarted, and its output, line by line.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export class Child {
  kills = 0
  #path
  #options
  #heard
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #process
  #said = Promise.resolve()

  /**
   * @param {string} file in this folder
   * @param {() => object} options of its next start
   * @param {(word: string, ...rest: string[]) => void} heard
   */
  constructor(file, options, heard) {
    this.#path = fileURLToPath(new URL(file, import.meta.url))
    this.#options = options
    this.#heard = heard
  }

  start() {
    const child = spawn(process.execPath, [this.#path, JSON.stringify(this.#options())], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => {
      const [word = '', ...rest] = line.split(' ')
      this.#heard(word, ...rest)
    })
    this.#said = once(lines, 'close').then(() => {})
    this.#process = child
  }

  /** Kills the process as `kill -9` does; resolves when all of its output has been read. */
  async kill() {
    this.kills++
    await this.#end('SIGKILL')
  }

  async stop() {
    await this.#end('SIGTERM')
  }

  /** @param {'SIGKILL' | 'SIGTERM'} signal */
  async #end(signal) {
    const child = this.#process
    if (!child) return
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    child.kill(signal)
    await ended
    await this.#said
    if (signal === 'SIGTERM' && child.exitCode !== 0)
      throw new Error(`${this.#path} ended with ${child.exitCode}`)
  }
}
