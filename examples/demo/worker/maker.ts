/** Maker: holds the private key, annotates and publishes. */
import { openSender } from '#transport'
import type {
  Annotate,
  Asked,
  Connection,
  Flow,
  Hop,
  KeyInfo,
  KeyKind,
  MakerUpdate,
  Place,
} from '../protocol.ts'
import { annotatorsFor } from './annotators.ts'
import { CUT, Gate } from './gate.ts'
import { infoOf, type KeptKey, makeKey, openKey, publicKeyOf, signerOf } from './keys.ts'
import { Sensor } from './live.ts'
import { type Bench, look, perform } from './look.ts'
import { Outbox } from './outbox.ts'
import { Moved, type Part } from './port.ts'
import { Rate } from './rate.ts'
import { openSdk, toHex } from './sdk.ts'
import { Shelf } from './shelf.ts'
import { Stations } from './stations.ts'
import { troubleOf } from './trouble.ts'

/** Milliseconds for measuring each step of a call of the visitor (`own`) or of the sensor (`live`). */
const BUDGET_MS = { own: 4, live: 1 }
/** Milliseconds between measured readings of the sensor. */
const SAMPLE_MS = 250
/** Milliseconds that a visitor's call stays visible while the sensor is on. */
const OWN_MS = 8000

type Draft = { -readonly [Name in keyof MakerUpdate]: MakerUpdate[Name] }

export function maker(): Part<'maker'> {
  const making = new Maker()
  return {
    painted: () => making.painted(),
    handlers: {
      open: (params) => making.open(params),
      ask: (asked) => making.ask(asked),
      annotate: (call) => making.annotate(call),
      send: (message) => making.send(message),
      travel: () => making.travel(),
      startLive: (live) => making.sensor.start(live).finally(() => making.changed()),
      heard: (connection) => making.heard(connection),
      cut: (isCut) => making.cut(isCut),
      stopLive: () => making.stopLive(),
      newKey: (kind) => making.newKey(kind),
      exportPrivateKey: () => making.exportPrivateKey(),
      signedSample: (seed) => making.signedSample(seed),
    },
  }
}

class Maker {
  readonly sensor = new Sensor((payload) => this.#takeReading(payload))
  readonly #state: Draft = {
    connection: { state: 'connecting' },
    accepted: 0,
    failed: 0,
    waiting: { calls: 0, bytes: 0, refused: 0, out: 0, isKept: true },
    isCut: false,
    perSecond: 0,
    isLive: false,
  }
  readonly #stations = new Stations()
  readonly #outbox = new Outbox(() => this.#read())
  readonly #rate = new Rate()
  readonly #handedOver = new WeakMap<Uint8Array, number>()
  #gate: Gate | undefined
  #shelf: Shelf | undefined
  #asked: Asked = { src: true, tls: true, pki: false }
  #bench: Promise<Bench> | undefined
  #lastSample = 0
  #hearing: Connection = { state: 'connecting' }

  async open({ place, asked }: { place: Place; asked: Asked }): Promise<KeyInfo> {
    this.#asked = asked
    const opened = await openKey()
    const info = await infoOf(opened)
    const sender = openSender(place, (connection) => this.#connected(connection))
    this.#gate = new Gate(sender, () => this.changed())
    this.#shelf = await Shelf.open(this.#gate)
    this.#connected(this.#state.connection)
    await this.#use(opened.key)
    return info
  }

  /** Sets the annotators. Before the key is ready, they apply when the SDK opens. */
  async ask(asked: Asked): Promise<void> {
    this.#asked = asked
    if (this.#bench) await this.#use((await this.#bench).key)
  }

  async newKey(kind: KeyKind): Promise<KeyInfo> {
    const made = await makeKey(kind)
    await this.#use(made.key)
    return infoOf(made)
  }

  async exportPrivateKey(): Promise<string> {
    const { key } = await this.#current()
    if (key.kind === 'core') return toHex(key.signingKey)
    throw new Error('this private key is non-extractable: the browser does not export it')
  }

  async signedSample(seed: string): Promise<string> {
    const { key } = await this.#current()
    const signature = await signerOf(key)(new TextEncoder().encode(seed))
    return JSON.stringify({ seed, signature: toHex(signature) })
  }

  async annotate(call: Annotate): Promise<Moved<Flow>> {
    const flow = await this.#counted(async () => look(call, await this.#current()))
    this.#state.flow = structuredClone(flow)
    this.#lastSample = performance.now() + OWN_MS - SAMPLE_MS
    const { payload, identity, message } = flow
    return new Moved(flow, [...new Set([payload.buffer, identity.buffer, message.buffer])])
  }

  async travel(): Promise<Hop[]> {
    const hops = await this.#stations.send()
    this.#state.accepted += hops.length
    this.changed()
    return hops
  }

  async send(message: Uint8Array): Promise<void> {
    const stored = await this.#shelf?.publish(message)
    await stored?.delivered
  }

  heard(connection: Connection): void {
    this.#hearing = connection
    this.#connected(this.#state.connection)
  }

  cut(isCut: boolean): void {
    this.#state.isCut = isCut
    this.#connected(this.#state.connection)
  }

  stopLive(): void {
    this.sensor.stop()
    this.changed()
  }

  changed(): void {
    this.#outbox.changed()
  }

  painted(): void {
    this.#outbox.painted()
    // Update the page while the rate falls, even without calls.
    if (this.#state.perSecond > 0) this.changed()
  }

  #connected(connection: Connection): void {
    this.#state.connection = connection
    if (this.#whole().state === 'online' && !this.#state.isCut) this.#gate?.open()
    else this.#gate?.close()
    this.changed()
  }

  /** Returns the state of maker and verifier. A broker may let clients publish but not subscribe. */
  #whole(): Connection {
    const { connection } = this.#state
    return connection.state === 'online' ? this.#hearing : connection
  }

  #read(): MakerUpdate {
    const { flow, ...state } = this.#state
    delete this.#state.flow
    this.#state.perSecond = this.#rate.perSecond()
    return {
      ...state,
      ...(flow && { flow }),
      ...(this.#shelf && { waiting: this.#shelf.waiting() }),
      connection: state.isCut ? CUT : this.#whole(),
      perSecond: this.#state.perSecond,
      isLive: this.sensor.isOn,
    }
  }

  async #takeReading(payload: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const call: Annotate = { action: 'create', payload }
    try {
      await this.#counted(async () => this.#sampled(call, await this.#current()))
      return true
    } catch {
      // Ignore the error: the update reports it, and the sensor continues.
      return false
    }
  }

  async #sampled(call: Annotate, bench: Bench): Promise<void> {
    const now = performance.now()
    if (now - this.#lastSample < SAMPLE_MS) {
      await perform(bench.sdk, call)
      return
    }
    this.#lastSample = now
    this.#state.flow = await look(call, { ...bench, budgetMs: BUDGET_MS.live })
  }

  async #counted<T>(run: () => Promise<T>): Promise<T> {
    const state = this.#state
    try {
      const result = await run()
      state.accepted++
      this.#rate.count()
      delete state.trouble
      return result
    } catch (error) {
      state.failed++
      state.trouble = troubleOf(error)
      throw error
    } finally {
      this.changed()
    }
  }

  async #current(): Promise<Bench> {
    if (!this.#bench) throw new Error('maker: expected open() first')
    return this.#bench
  }

  /** Opens an SDK with this key and the selected annotators, and closes the previous one after its calls. */
  async #use(key: KeptKey): Promise<void> {
    const before = this.#bench
    this.#bench = this.#open(key)
    await this.#bench
    const ended = await before
    await Promise.all([ended?.sdk.close(), ended?.aside.close()])
  }

  async #open(key: KeptKey): Promise<Bench> {
    const annotators = annotatorsFor(this.#asked, await publicKeyOf(key))
    const stream = { publish: (message: Uint8Array) => this.#publish(message) }
    const { signingKey } = key
    const sdk = await openSdk({ signingKey, annotators, stream })
    const aside = await openSdk({ signingKey, annotators, stream: { publish: async () => {} } })
    const handedOver = (message: Uint8Array) => this.#handedOver.get(message) ?? performance.now()
    return { sdk, aside, key, annotators, handedOver, budgetMs: BUDGET_MS.own }
  }

  async #publish(message: Uint8Array): Promise<unknown> {
    this.#handedOver.set(message, performance.now())
    const stored = await this.#shelf?.publish(message)
    this.changed()
    return stored
  }
}
