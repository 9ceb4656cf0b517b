import type { SignedBy } from '../../signing/keys/trust-policy.js'

/** Signed parts of a request, and their signer. Anyone on the path can have changed everything outside of `components`. */
export interface VerifiedRequest {
  /** Name of the key in `keys`. */
  readonly keyId: string
  /** Identifiers in the form of headers: `"@method"`, `"content-type"`, `"@query-param";name="id"`. */
  readonly components: readonly string[]
  /** Time of the signature by the signer's clock, in seconds since 1970. */
  readonly created?: number
  /** End of the signature, in seconds since 1970. */
  readonly expires?: number
  readonly nonce?: string
  readonly tag?: string
  readonly label?: string
  /** Origin of the agent in whose directory the key is, if `keys` come from `agentKeys`. */
  readonly signatureAgent?: string
  /** Signer with the key, if `keys` is a trust policy. */
  readonly signedBy?: SignedBy
}

/** A part of an exchange that the signature over a response does not cover. */
export type UnboundPart = 'request' | 'request body'

/** Signed parts of a response, and their signer. */
export interface VerifiedResponse extends VerifiedRequest {
  /**
   * Parts of the exchange that the signature does not cover. `request`: the option `request` was not given, so the
   * answer to any request verifies. `request body`: the request's `content-digest` is not among `components`. Empty if
   * the response is bound to all of the request.
   */
  readonly notBound: readonly UnboundPart[]
}
