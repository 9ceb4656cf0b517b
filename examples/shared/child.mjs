import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { within } from './deadline.mjs'

/** Milliseconds after which a child process that does not end on request is killed. */
const STOP_MS = 30_000
const WITH_PARENT = new URL('with-parent.mjs', import.meta.url).href

/** Child process that runs Node.js and prints lines of text. Emits the event `line`. */
export class Child extends EventEmitter {
  /** Lines received so far. @type {string[]} */
  lines = []
  #process
  #stopping = false
  #ended

  /**
   * @param {URL} script
   * @param {Record<string, string>} env added to this process's environment
   * @param {{ args?: readonly string[], speaksBy?: 'stdout' | 'stderr' }} [how] `speaksBy` is the output with
   * the lines
   */
  constructor(script, env, { args = [], speaksBy = 'stdout' } = {}) {
    super()
    this.name = script.pathname.split('/').at(-1) ?? script.pathname
    this.#process = spawn(process.execPath, ['--import', WITH_PARENT, fileURLToPath(script), ...args], {
      env: { ...process.env, ...env },
      // Use a pipe for stdin: the pipe closes however this process ends, and the child notices.
      stdio: ['pipe', ...(speaksBy === 'stdout' ? ['pipe', 'inherit'] : ['inherit', 'pipe'])],
    })
    this.#ended = once(this.#process, 'close')
    createInterface({ input: this.#process[speaksBy] }).on('line', (line) => {
      this.lines.push(line)
      this.emit('line', line)
    })
  }

  get pid() {
    return this.#process.pid
  }

  /** Rejects when the child ends before it is stopped; otherwise never settles. @returns {Promise<never>} */
  async died() {
    const [code, signal] = await this.#ended
    if (this.#stopping) return new Promise(() => {})
    throw new Error(`${this.name} ended early, ${signal ? `killed by ${signal}` : `with exit code ${code}`}`)
  }

  /**
   * Returns the first line that contains `text`, including lines already received.
   *
   * @param {string} text
   * @param {number} [milliseconds] timeout
   * @returns {Promise<string>}
   */
  async says(text, milliseconds = 60_000) {
    const search = new AbortController()
    const what = `${this.name}: expected a line with ${JSON.stringify(text)}`
    try {
      return await within(Promise.race([this.#find(text, search.signal), this.died()]), milliseconds, what)
    } finally {
      search.abort()
    }
  }

  /** @param {string} text @param {AbortSignal} signal @returns {Promise<string>} */
  #find(text, signal) {
    return new Promise((resolve) => {
      const look = (/** @type {string} */ line) => line.includes(text) && resolve(line)
      this.lines.some(look)
      this.on('line', look)
      signal.addEventListener('abort', () => this.off('line', look))
    })
  }

  /** Asks the child to end. Kills it after {@link STOP_MS}. @returns {Promise<number | null>} exit code */
  async stop() {
    this.#stopping = true
    this.#process.stdin.end()
    this.#process.kill('SIGTERM')
    const force = setTimeout(() => this.#process.kill('SIGKILL'), STOP_MS)
    const [code] = await this.#ended
    clearTimeout(force)
    return code
  }
}
