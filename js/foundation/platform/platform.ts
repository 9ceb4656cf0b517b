import type * as policyFile from './policy-file.js'

export { platform } from '#platform'

/**
 * Differences between Node and browsers. `#platform` in package.json selects the implementation; no other code checks where it runs. Some
 * platforms lack the optional members.
 */
export interface Platform {
  /** Returns the platform's SHA-256, 32 bytes; missing if the platform has none that is synchronous. */
  readonly hostSha256?: ((payload: Uint8Array) => Uint8Array) | undefined
  /** Creates an incremental SHA-256; missing if the platform has none. */
  readonly hostHasher?: () => HostHasher
  /** Returns the platform's signatures; missing if they are not synchronous. */
  readonly hostSignatures?: (() => HostSignatures) | undefined
  /** Returns the name of this machine, or of the page's host. */
  hostName(): string
  /** Returns the name of this machine; missing in browsers, which do not reveal it. */
  readonly machineName?: () => string
  /** Returns the environment variable `TAG`. */
  readonly tagVariable?: () => string | undefined
  /** Reads a file of at most 65,536 bytes, which may be secret, into memory of its own that the caller wipes. */
  readonly readFile?: (path: string) => Promise<Uint8Array>
  /** Loads the functions for policy files. */
  readonly policyFiles?: () => Promise<typeof policyFile>
  /** Returns whether a path is a device or socket. */
  readonly isDeviceOrSocket?: (path: string) => boolean
  /** Returns whether Windows has a TPM, 1.2 or 2.0; undefined on other systems. Resolves within ten seconds, or rejects. */
  readonly windowsTpm?: () => Promise<boolean> | undefined
  /** True if the platform has pages. A process without pages may still have a `location`: in a test. */
  readonly hasPages: boolean
  /**
   * Returns the certificate of the TLS server at a URL, valid or not; missing if the runtime does not show it.
   *
   * @param tls - options of Node's `tls.connect`
   */
  readonly peerCertificate?: (url: URL, tls: object, signal: AbortSignal) => Promise<PeerCertificate>
  /** Resolves after all other tasks that wait for the event loop had their turn. */
  nextTurn(): Promise<void>
  /** Returns the channel of a name, which is the same for all listeners in this process. */
  readonly channel?: <Message>(name: string) => Channel<Message>
  /** URL schemes of brokers that this platform can connect to. */
  readonly mqttSchemes: readonly string[]
  /** Returns the same bytes in the form that mqtt.js processes fastest, without a copy. */
  mqttView(message: Uint8Array): Buffer
}

/** Channel of `node:diagnostics_channel`, as far as it is used here. */
export interface Channel<Message> {
  /** True if there are listeners. Without them, no message is prepared. */
  readonly hasSubscribers: boolean
  publish(message: Message): void
}

/** Incremental hash of the platform. */
export interface HostHasher {
  update(piece: Uint8Array): unknown
  digest(): Uint8Array
}

/** Signatures of the platform: Ed25519, and ECDSA over P-256 with SHA-256. All functions throw the platform's own errors. */
export interface HostSignatures {
  /** Opens a private key in PKCS#8. */
  openSigner(pkcs8: Uint8Array): HostSigner
  /** Opens a public key in SubjectPublicKeyInfo. */
  openVerifier(spki: Uint8Array): (bytes: Uint8Array, signature: Uint8Array) => boolean
}

/** Private key that is open in the platform. */
export interface HostSigner {
  /** Public key as SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array
  /** Returns a signature of 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array
}

/** Certificate of a server. */
export interface PeerCertificate {
  /** Name of the owner, for example `CN=broker.example, O=Example`. */
  readonly subject: string
  readonly issuer: string
  readonly validFrom: Date
  readonly validTo: Date
  /** SHA-256 of the certificate, in hexadecimal with colons. */
  readonly fingerprint: string
  /** True if the certificate is valid for this host name, from an authority that is trusted here. */
  readonly isAuthorized: boolean
  /** Reason why it is not authorized. */
  readonly reason?: string
}
