import type { SignedBy } from '../../signing/keys/trust-policy.js'

/** Signer and signed parts of a request. Do not trust parts that `components` does not list. */
export interface VerifiedRequest {
  /** Name of the key in the message, such as a name in the option `keys`. */
  readonly keyId: string
  /** Identifiers of signed components: `"@method"`, `"content-type"`, `"@query-param";name="id"`. */
  readonly components: readonly string[]
  /** Creation time of the signature by the signer's clock, in seconds since 1970. */
  readonly created?: number
  /** Expiry time of the signature, in seconds since 1970. */
  readonly expires?: number
  readonly nonce?: string
  readonly tag?: string
  readonly label?: string
  /** Origin of the agent that publishes the key, if `keys` come from `agentKeys`. */
  readonly signatureAgent?: string
  /** Signer of the request, if `keys` is a trust policy. */
  readonly signedBy?: SignedBy
}

/** Part of a request that the signature over its response does not cover. */
export type UnboundPart = 'request' | 'request body'

/** Signed parts of a response, and the signer. */
export interface VerifiedResponse extends VerifiedRequest {
  /**
   * Parts of the answered request that the signature does not cover. `request`: the option `request` was not
   * given, so the response may answer any request. `request body`: the request may have a body, and its
   * `content-digest` is not among `components`. Other parts that `components` lacks are not listed.
   */
  readonly notBound: readonly UnboundPart[]
}
