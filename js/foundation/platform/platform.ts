import type * as policyFile from './policy-file.js'

export { platform } from '#platform'

/**
 * Differences between Node and browsers. `#platform` in package.json selects the implementation, and little
 * other code checks the runtime. Optional members are missing on some platforms.
 */
export interface Platform {
  /** Returns the SHA-256 of a payload, 32 bytes. Missing if the platform has no synchronous SHA-256. */
  readonly hostSha256?: ((payload: Uint8Array) => Uint8Array) | undefined
  /** Creates an incremental SHA-256. Missing if the platform has none. */
  readonly hostHasher?: () => HostHasher
  /** Returns the platform's functions for signatures. Missing if the platform has no synchronous ones. */
  readonly hostSignatures?: (() => HostSignatures) | undefined
  /** Returns the name of this machine, or in a browser the host name of the page. */
  hostName(): string
  /** Returns the name of this machine. Missing in browsers, which do not reveal it. */
  readonly machineName?: () => string
  readonly tagVariable?: () => string | undefined
  /** Reads a file of at most 65,536 bytes into separate memory, which the caller wipes because it may be secret. */
  readonly readFile?: (path: string) => Promise<Uint8Array>
  readonly policyFiles?: () => Promise<typeof policyFile>
  readonly isDeviceOrSocket?: (path: string) => boolean
  /**
   * Resolves to whether Windows has a TPM, 1.2 or 2.0. Rejects if Windows does not state this within ten
   * seconds. Returns undefined on other systems.
   */
  readonly windowsTpm?: () => Promise<boolean> | undefined
  /** True if the platform has pages. A process without pages may still have a `location`, for example in a test. */
  readonly hasPages: boolean
  /**
   * Returns the certificate of the TLS server at a URL, valid or not. Missing if the runtime does not show
   * certificates.
   *
   * @param tls - options of Node's `tls.connect`
   */
  readonly peerCertificate?: (url: URL, tls: object, signal: AbortSignal) => Promise<PeerCertificate>
  /** Resolves after the event loop has run all other tasks that are waiting. */
  nextTurn(): Promise<void>
  /** Returns the channel of this name, which all listeners in the process share. */
  readonly channel?: <Message>(name: string) => Channel<Message>
  readonly mqttSchemes: readonly string[]
  /** Returns a message's bytes in the form that mqtt.js processes fastest, without copying them. */
  mqttView(message: Uint8Array): Buffer
}

/** Channel of `node:diagnostics_channel`, with the members that this package uses. */
export interface Channel<Message> {
  /** True if the channel has listeners. Without listeners, no message is prepared. */
  readonly hasSubscribers: boolean
  publish(message: Message): void
}

export interface HostHasher {
  update(piece: Uint8Array): unknown
  digest(): Uint8Array
}

/** Signatures of the platform: Ed25519, and P-256 with SHA-256. All functions throw the platform's own errors. */
export interface HostSignatures {
  openSigner(pkcs8: Uint8Array): HostSigner
  /** Opens a public key in SubjectPublicKeyInfo (DER). Returns a function that verifies signatures by it. */
  openVerifier(spki: Uint8Array): (bytes: Uint8Array, signature: Uint8Array) => boolean
}

export interface HostSigner {
  readonly publicKey: Uint8Array
  sign(bytes: Uint8Array): Uint8Array
}

/** Certificate of a TLS server. */
export interface PeerCertificate {
  /** Name of the owner, for example `CN=broker.example, O=Example`. */
  readonly subject: string
  readonly issuer: string
  readonly validFrom: Date
  readonly validTo: Date
  /** SHA-256 of the certificate, in hexadecimal with colons. */
  readonly fingerprint: string
  /** True if the certificate is valid for this host name, and a trusted authority issued it. */
  readonly isAuthorized: boolean
  /** Code for the reason why the certificate is not authorized. */
  readonly reason?: string
}
