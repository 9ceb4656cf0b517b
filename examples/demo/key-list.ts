/** Pattern for a key: a PEM block, a JWK, or hexadecimal digits. */
const KEY = /-----BEGIN[^-]+-----[^-]+-----END[^-]+-----|\{[^{}]*\}|\S+/g

/** Splits a text with one or more public keys, in any form that the SDK reads. */
export function keysIn(text: string): readonly string[] {
  return text.match(KEY) ?? []
}

/** Keys, policy and leases in a text. */
export interface Trusted {
  readonly keys: readonly string[]
  /** Trust policy as JSON or YAML, instead of keys. */
  readonly policy?: string
  /** Leases for the policy, each a line of its own. */
  readonly leases: readonly string[]
}

const LEASE = /^\{"messageType":"alvarium\.Lease\/1".*$/gm
/** Pattern for a policy as the command writes it; YAML begins with its signers. */
const POLICY = /^(?:\{.*"signers"\s*:|signers\s*:)/s

/** Splits a text with public keys, or with a trust policy and leases. */
export function trustedIn(text: string): Trusted {
  const leases = text.match(LEASE) ?? []
  const rest = text.replaceAll(LEASE, '').trim()
  return POLICY.test(rest) ? { keys: [], policy: rest, leases } : { keys: keysIn(rest), leases }
}

/** Returns whether a file contains a policy or leases, and is no message. */
export function isAboutTrust(text: string): boolean {
  const { policy, leases } = trustedIn(text)
  return policy !== undefined || leases.length > 0
}
