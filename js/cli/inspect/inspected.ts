import { type Bundle, keyOf, toHex } from 'alvarium-sdk/verify'
import { type ReadAnnotation, readAnnotation } from '../../classic/read-annotation.js'
import type { ReadMessage } from '../../classic/read-message.js'

/** What a signature is over. */
export interface SignedBytes {
  /** The bytes, in hexadecimal. */
  readonly bytes: string
  /** Their SHA-256, by which two people can tell whether they look at the same. */
  readonly sha256: string
  readonly signature: string
}

/** A field for people: its name, and its text. */
export type Field = readonly [name: string, value: string]

/** A message or a pack taken apart. */
export interface Inspected {
  readonly messageType: string
  readonly action?: string
  /** Of a classic message. */
  readonly dialect?: string
  readonly signer?: string
  /** Where a bundle stood in its batch, and the way from there to what was signed. */
  readonly proof?: InclusionProof
  /** The fields of what has no bundles. */
  readonly fields?: readonly Field[]
  /** Bundles of the message: of a bundle one, of a batch all of its own, of anything else none. */
  readonly bundles: readonly Omit<Bundle, 'signer'>[]
  /** Of a classic message. */
  readonly annotations: readonly ReadAnnotation['annotation'][]
  readonly signed: readonly SignedBytes[]
}

/** RFC 9162 §2.1.3. */
export interface InclusionProof {
  readonly index: number
  readonly size: number
  readonly path: readonly string[]
}

interface Ours {
  readonly messageType: string
  readonly action?: Bundle['action']
  readonly content: { readonly signature: string; readonly signer: string } & {
    readonly proof?: InclusionProof
    readonly bundles?: readonly Omit<Bundle, 'signer'>[]
  }
}

/** @param identity - the bytes that are signed, of which the core has made sure that the message is well-formed */
export function inspectedOurs(message: Uint8Array, identity: Uint8Array): Inspected {
  const { messageType, action, content } = JSON.parse(new TextDecoder().decode(message)) as Ours
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

/** Each annotation is signed on its own. */
export function inspectedClassic({ action, dialect, items }: ReadMessage): Inspected {
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
export function inspectedFields(
  messageType: string,
  fields: readonly Field[],
  signed: readonly SignedBytes[] = [],
): Inspected {
  return { messageType, fields, bundles: [], annotations: [], signed }
}

/** Returns a signature in hexadecimal, and the bytes that it is over. */
export function signedOf(bytes: Uint8Array, signature: string): SignedBytes {
  return { bytes: toHex(bytes), sha256: keyOf(bytes).toLowerCase(), signature }
}
