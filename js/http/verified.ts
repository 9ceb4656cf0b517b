import type { SignedBy } from '../keys/trust-policy.js'

/** What was signed of a request, and by whom. Anybody on the way can have changed what is not among `components`. */
export interface VerifiedRequest {
  /** The name of the key in `keys`. */
  readonly keyId: string
  /** Identifiers as headers have them: `"@method"`, `"content-type"`, `"@query-param";name="id"`. */
  readonly components: readonly string[]
  /** When it was signed by the signer's clock, in seconds since 1970. */
  readonly created?: number
  /** Until when it is good, in seconds since 1970. */
  readonly expires?: number
  readonly nonce?: string
  readonly tag?: string
  readonly label?: string
  /** The origin of the agent in whose directory the key is, where `keys` are those of `agentKeys`. */
  readonly signatureAgent?: string
  /** Whose key it is, where `keys` is a trust policy. */
  readonly signedBy?: SignedBy
}

/** A part of an exchange that the signature over a response does not cover. */
export type NotBound = 'request' | 'request body'

/** Signed parts of a response, and their signer. */
export interface VerifiedResponse extends VerifiedRequest {
  /**
   * Parts of the exchange that the signature does not cover. `request`: the option `request` was not given, so the answer to any request
   * verifies. `request body`: the request's `content-digest` is not among `components`. Empty if the response is bound to all of the request.
   */
  readonly notBound: readonly NotBound[]
}
