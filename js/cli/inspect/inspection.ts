import { type Bundle, keyOf, toHex } from 'alvarium-sdk/verify'
import { type ReadAnnotation, readAnnotation } from '../../verifying/classic/read-annotation.js'
import type { ReadMessage } from '../../verifying/classic/read-message.js'

/** Signature, and the bytes that it covers. */
export interface SignedBytes {
  /** Signed bytes, in hexadecimal. */
  readonly bytes: string
  /** SHA-256 of the bytes, by which two people can compare them. */
  readonly sha256: string
  readonly signature: string
}

/** Field for people: its name, and its text. */
export type Field = readonly [name: string, value: string]

/** Parts of a message or a pack. */
export interface Inspection {
  readonly messageType: string
  readonly action?: string
  /** Name of the SDK, for a classic message. */
  readonly dialect?: string
  readonly signer?: string
  /** Position of a bundle in its batch, and the path from it to the signed root. */
  readonly proof?: InclusionProof
  /** Fields of a message without bundles. */
  readonly fields?: readonly Field[]
  /** Bundles of the message: one for a bundle, all of its own for a batch, none for other messages. */
  readonly bundles: readonly Omit<Bundle, 'signer'>[]
  /** Annotations of a classic message. */
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
 * @param identity - signed bytes from the core, which has checked that the message is well-formed
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

/** Describes a classic message, in which each annotation has its own signature. */
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

/** Describes a message with neither bundles nor annotations. */
export function inspectFields(
  messageType: string,
  fields: readonly Field[],
  signed: readonly SignedBytes[] = [],
): Inspection {
  return { messageType, fields, bundles: [], annotations: [], signed }
}

/** Returns a signature in hexadecimal, and the bytes that it covers. */
export function signedOf(bytes: Uint8Array, signature: string): SignedBytes {
  return { bytes: toHex(bytes), sha256: keyOf(bytes).toLowerCase(), signature }
}
