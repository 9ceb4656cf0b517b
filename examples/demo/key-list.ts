/** A PEM block, a JWK, or a word: hexadecimal. */
const KEY = /-----BEGIN[^-]+-----[^-]+-----END[^-]+-----|\{[^{}]*\}|\S+/g

/** Takes apart a text with one public key or several, in any form that the SDK reads. */
export function keysIn(text: string): readonly string[] {
  return text.match(KEY) ?? []
}

/** Whom a text says to trust. */
export interface Trusted {
  readonly keys: readonly string[]
  /** A trust policy in the place of keys, as JSON or YAML. */
  readonly policy?: string
  /** Leases, for the policy: each is a line of its own. */
  readonly leases: readonly string[]
}

const LEASE = /^\{"messageType":"alvarium\.Lease\/1".*$/gm
/** As the command writes one; YAML begins with its signers. */
const POLICY = /^(?:\{.*"signers"\s*:|signers\s*:)/s

/** Takes apart a text with public keys, or with a trust policy and leases. */
export function trustedIn(text: string): Trusted {
  const leases = text.match(LEASE) ?? []
  const rest = text.replaceAll(LEASE, '').trim()
  return POLICY.test(rest) ? { keys: [], policy: rest, leases } : { keys: keysIn(rest), leases }
}

/** Whether a file says whom to trust, and is no message. */
export function isAboutTrust(text: string): boolean {
  const { policy, leases } = trustedIn(text)
  return policy !== undefined || leases.length > 0
}
