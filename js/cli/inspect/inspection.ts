import { type Bundle, keyOf, toHex } from 'alvarium-sdk/verify'
import { type ReadAnnotation, readAnnotation } from '../../verifying/classic/read-annotation.js'
import type { ReadMessage } from '../../verifying/classic/read-message.js'

export interface SignedBytes {
  /** Signed bytes, in hexadecimal. */
  readonly bytes: string
  /** SHA-256 of the signed bytes in hexadecimal, for comparing them by eye. */
  readonly sha256: string
  readonly signature: string
}

export type Field = readonly [name: string, value: string]

export interface Inspection {
  readonly messageType: string
  readonly action?: string
  readonly dialect?: string
  readonly signer?: string
  /** Inclusion proof of a bundle that was extracted from a batch. */
  readonly proof?: InclusionProof
  readonly fields?: readonly Field[]
  /** Bundles of the message: one or, for a batch, several; none for other messages. */
  readonly bundles: readonly Omit<Bundle, 'signer'>[]
  readonly annotations: readonly ReadAnnotation['annotation'][]
  readonly signed: readonly SignedBytes[]
}

/** Inclusion proof of RFC 9162 §2.1.3. */
export interface InclusionProof {
  readonly index: number
  readonly size: number
  readonly path: readonly string[]
}

interface BundleMessage {
  readonly messageType: string
  readonly action?: Bundle['action']
  readonly content: { readonly signature: string; readonly signer: string } & {
    readonly proof?: InclusionProof
    readonly bundles?: readonly Omit<Bundle, 'signer'>[]
  }
}

/**
 * Describes a bundle or a batch.
 *
 * @param identity - signed bytes as the core returns them after checking that the message is well-formed
 */
export function inspectBundles(message: Uint8Array, identity: Uint8Array): Inspection {
  const { messageType, action, content } = JSON.parse(new TextDecoder().decode(message)) as BundleMessage
  const { signature, signer, proof, bundles, ...fields } = content
  return {
    messageType,
    ...(action && { action }),
    signer,
    ...(proof && { proof }),
    bundles: bundles ?? [{ action, ...fields } as Omit<Bundle, 'signer'>],
    annotations: [],
    signed: [signedOf(identity, signature)],
  }
}

export function inspectClassic({ action, dialect, items }: ReadMessage): Inspection {
  const read = items.map((item) => readAnnotation(item, dialect))
  return {
    messageType: 'AnnotationList',
    action,
    dialect: dialect.name,
    bundles: [],
    annotations: read.map(({ annotation }) => annotation),
    signed: read.map(({ signedText, signature }) =>
      signedOf(new TextEncoder().encode(signedText), toHex(signature)),
    ),
  }
}

export function inspectFields(
  messageType: string,
  fields: readonly Field[],
  signed: readonly SignedBytes[] = [],
): Inspection {
  return { messageType, fields, bundles: [], annotations: [], signed }
}

/** Returns a signature with the bytes that it covers, both in hexadecimal. */
export function signedOf(bytes: Uint8Array, signature: string): SignedBytes {
  return { bytes: toHex(bytes), sha256: keyOf(bytes).toLowerCase(), signature }
}
