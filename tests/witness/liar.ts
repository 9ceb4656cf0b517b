import { randomBytes } from 'node:crypto'
import { HandLog, NoteSigner } from './logs.mjs'
import type { ServerAnswer } from './witnesses.js'

/** A dishonest witness: at random, it signs anything, nothing, or another text. It keeps no state. */
export class Liar {
  readonly signer = new NoteSigner('witness.example/liar', 4)
  /** Number of answers of each kind. */
  readonly counts = new Map<string, number>()
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  async answer(body: string): Promise<ServerAnswer> {
    const kinds = Object.keys(this.#kinds)
    const kind = kinds[Math.floor(this.#random() * kinds.length)] ?? ''
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
    const note = body.slice(body.indexOf('\n\n') + 2)
    const act = this.#kinds[kind] as (text: string) => ServerAnswer | Promise<ServerAnswer>
    return await act(note.slice(0, note.lastIndexOf('\n\n') + 1))
  }

  readonly #kinds: Record<string, (text: string) => ServerAnswer | Promise<ServerAnswer>> = {
    signs: (text) => ({ status: 200, body: this.signer.line(text, now()) }),
    backdates: (text) => ({ status: 200, body: this.signer.line(text, now() - 86_400) }),
    postdates: (text) => ({ status: 200, body: this.signer.line(text, now() + 86_400) }),
    'signs another log': () => ({
      status: 200,
      body: this.signer.line(new HandLog().grow(3).textAt(), now()),
    }),
    'signs by another key': (text) => ({
      status: 200,
      body: new NoteSigner(this.signer.name, 4).line(text, now()),
    }),
    'sends noise': () => ({ status: 200, body: randomBytes(64).toString('base64') }),
    'names any size': () => ({
      status: 409,
      type: 'text/x.tlog.size',
      body: `${Math.floor(this.#random() * 1000)}\n`,
    }),
    'says it forked': () => ({ status: 422 }),
    fails: () => ({ status: 503 }),
    stalls: () => new Promise<ServerAnswer>(() => {}),
  }
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}
