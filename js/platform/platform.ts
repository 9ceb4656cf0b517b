import type mqtt from 'mqtt'
import type { IClientOptions, MqttClient } from 'mqtt'

/**
 * What differs between Node and browsers. `#platform` in package.json picks the implementation; nothing
 * else asks where it runs.
 */
export interface Platform {
  /** The platform's own SHA-256, 32 bytes, where it has one that answers at once. */
  readonly hostSha256: ((payload: Uint8Array) => Uint8Array) | undefined
  /** The same for bytes that come in pieces, where it has one. */
  readonly hostHasher: (() => HostHasher) | undefined
  /** The name of this machine, or of the host that the page came from. */
  hostName(): string
  /** The name of this machine; nothing where a program cannot know it, as in browsers. */
  machineName(): string | undefined
  /** The environment variable `TAG`. */
  tagVariable(): string | undefined
  /** The contents of a file of at most 65,536 bytes, which may be secret: in memory of their own, to be wiped. */
  readFile(path: string): Promise<Uint8Array>
  /** Whether a device or socket is at that path. */
  isDeviceOrSocket(path: string): boolean
  /** Whether Windows knows of a TPM, 1.2 or 2.0; nothing on other systems. Resolves within ten seconds, or rejects. */
  windowsTpm(): Promise<boolean> | undefined
  /** Whether this is a page that came over TLS. */
  isSecurePage(): boolean
  /**
   * The certificate of the TLS server at a URL, whether it is valid or not; nothing where the runtime does not show it.
   *
   * @param tls - options of Node's `tls.connect`
   */
  peerCertificate(url: URL, tls: object, signal: AbortSignal): Promise<PeerCertificate> | undefined
  /** Resolves after everything else that waits for the event loop had its turn. */
  nextTurn(): Promise<void>
  /** The channel of that name, the same one for everybody: for whoever listens in this process. */
  channel<Message>(name: string): Channel<Message>
}

/** A channel of `node:diagnostics_channel`, as far as we use it. */
export interface Channel<Message> {
  /** Whether anybody listens: nothing is put together for nobody. */
  readonly hasSubscribers: boolean
  publish(message: Message): void
}

/** Hashes bytes that come in pieces. */
export interface HostHasher {
  update(piece: Uint8Array): unknown
  digest(): Uint8Array
}

/** The certificate that a server has shown. */
export interface PeerCertificate {
  /** For example `CN=broker.example, O=Example`. */
  readonly subject: string
  readonly issuer: string
  readonly validFrom: Date
  readonly validTo: Date
  /** SHA-256 of the certificate, in hexadecimal with colons. */
  readonly fingerprint: string
  /** Whether it is valid, from an authority that is trusted here, for this host name. */
  readonly isAuthorized: boolean
  /** Why it is not. */
  readonly reason?: string
}

/** What mqtt.js needs to know of the platform it runs on. */
export interface MqttTransport {
  /** URL schemes that can be opened here. */
  readonly schemes: readonly string[]
  /** mqtt.js. Not loaded before it is asked for: a page that only verifies never does. */
  load(): Promise<{ readonly default: Pick<typeof mqtt, 'connect'> }>
  /** Settings for mqtt.js, loaded when the first connection is made. */
  settings(): Promise<IClientOptions>
  /** The same bytes as mqtt.js takes them fastest, without a copy. */
  view(message: Uint8Array): Buffer
  /** Sets up the transport of a client that has just begun to connect. */
  prepare(client: MqttClient): void
}
