import type * as policyFile from './policy-file.js'

export { platform } from '#platform'

/**
 * The differences between Node and browsers. `#platform` in package.json picks the implementation; nothing
 * else asks where it runs. Some platforms lack the optional members.
 */
export interface Platform {
  /** The platform's own SHA-256, 32 bytes, where it has one that answers at once. */
  readonly hostSha256?: ((payload: Uint8Array) => Uint8Array) | undefined
  /** The same for bytes that come in pieces, where it has one. */
  readonly hostHasher?: () => HostHasher
  /** The platform's own signatures, where they answer at once. */
  readonly hostSignatures?: (() => HostSignatures) | undefined
  /** The name of this machine, or of the host that the page came from. */
  hostName(): string
  /** The name of this machine; a program in a browser cannot know it. */
  readonly machineName?: () => string
  /** The environment variable `TAG`. */
  readonly tagVariable?: () => string | undefined
  /** The contents of a file of at most 65,536 bytes, which may be secret: in memory of their own, to be wiped. */
  readonly readFile?: (path: string) => Promise<Uint8Array>
  /** Files of policies. */
  readonly policyFiles?: () => Promise<typeof policyFile>
  /** Whether a device or socket is at that path. */
  readonly isDeviceOrSocket?: (path: string) => boolean
  /** Whether Windows knows of a TPM, 1.2 or 2.0; nothing on other systems. Resolves within ten seconds, or rejects. */
  readonly windowsTpm?: () => Promise<boolean> | undefined
  /** Whether there are pages. A process may have a `location` all the same: in a test. */
  readonly hasPages: boolean
  /**
   * The certificate of the TLS server at a URL, whether it is valid or not, where the runtime shows it.
   *
   * @param tls - options of Node's `tls.connect`
   */
  readonly peerCertificate?: (url: URL, tls: object, signal: AbortSignal) => Promise<PeerCertificate>
  /** Resolves after everything else that waits for the event loop had its turn. */
  nextTurn(): Promise<void>
  /** The channel of that name, the same one for everybody: for whoever listens in this process. */
  readonly channel?: <Message>(name: string) => Channel<Message>
  /** The schemes of brokers' URLs that can be opened here. */
  readonly mqttSchemes: readonly string[]
  /** The same bytes as mqtt.js takes them fastest, without a copy. */
  mqttView(message: Uint8Array): Buffer
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

/** Ed25519, and ECDSA over P-256 with SHA-256, of the platform. Everything throws the platform's own errors. */
export interface HostSignatures {
  /** Opens a private key in PKCS#8. */
  openSigner(pkcs8: Uint8Array): HostSigner
  /** Opens a public key in SubjectPublicKeyInfo. */
  openVerifier(spki: Uint8Array): (bytes: Uint8Array, signature: Uint8Array) => boolean
}

/** A private key that is open in the platform. */
export interface HostSigner {
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array
  /** Returns 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array
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
