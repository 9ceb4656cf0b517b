/** Pattern of a key: a PEM block, a JWK, a line of OpenSSH with its comment, or hexadecimal digits. */
const KEY = /-----BEGIN[^-]+-----[^-]+-----END[^-]+-----|\{[^{}]*\}|(?:ssh-|ecdsa-sha2-)\S+[ \t]+\S+.*|\S+/g

/** Splits a text into public keys, in any form that the SDK reads. */
export function keysIn(text: string): readonly string[] {
  return text.match(KEY) ?? []
}

/** Contents of the field for trusted keys. */
export interface Trusted {
  readonly keys: readonly string[]
  /** Trust policy as JSON or YAML. It replaces the public keys. */
  readonly policy?: string
  /** Leases for the policy, one per line. */
  readonly leases: readonly string[]
}

const LEASE = /^\{"messageType":"alvarium\.Lease\/1".*$/gm
const POLICY = /^(?:\{.*"signers"\s*:|signers\s*:)/s

/** Parses a text with public keys, or with a trust policy and leases. */
export function trustedIn(text: string): Trusted {
  const leases = text.match(LEASE) ?? []
  const rest = text.replaceAll(LEASE, '').trim()
  return POLICY.test(rest) ? { keys: [], policy: rest, leases } : { keys: keysIn(rest), leases }
}

export function isAboutTrust(text: string): boolean {
  const { policy, leases } = trustedIn(text)
  return policy !== undefined || leases.length > 0
}
