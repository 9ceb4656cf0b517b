import { contentOf, messageOf } from '../../foundation/base/options/message.js'
import { digits, strict } from '../../foundation/base/options/schema.js'
import { assertRoot, identityOf, idOf, type SetStatement, signerMembers, treeMembers } from './statement.js'

/** Statement of a signer about a manifest. */
export interface ManifestStatement extends Omit<SetStatement, 'rows' | 'size'> {
  /** Number of records. Equal records are all counted. */
  readonly size: number
}

/** `signature` has 128 lower-case hexadecimal digits. */
export interface SignedManifest extends ManifestStatement {
  readonly signature: string
}

/** Message type (FORMAT.md, manifest/1). */
const TYPE = 'alvarium.Manifest/1'

export const MAX_MANIFEST_BYTES = 8192

const KIND = {
  type: TYPE,
  content: strict({ signature: digits(128), ...signerMembers, ...treeMembers }),
  maxBytes: MAX_MANIFEST_BYTES,
  name: 'manifest',
}

/** @throws AlvariumError `MESSAGE_MALFORMED` */
export function readManifest(message: Uint8Array): SignedManifest {
  const manifest = contentOf(message, KIND)
  assertRoot(manifest, 'manifest', 'no records')
  return manifest
}

export function writeManifest({ signature, ...statement }: SignedManifest): Uint8Array {
  const { signer, name, host, timestamp, size, root, salt } = statement
  return messageOf(TYPE, { signature, signer, name, host, timestamp, size, root, salt })
}

/** Prefix of the signed bytes. Nothing else that our private keys sign begins with this prefix. */
const DOMAIN = new TextEncoder().encode('alvarium.Manifest/1\n')

/** Returns the identity bytes of a manifest, which the signature covers (FORMAT.md, manifest/1). */
export function manifestIdentity(manifest: ManifestStatement): Uint8Array {
  return identityOf(DOMAIN, manifest, [manifest.size])
}

/** Returns the id of a manifest: SHA-256(0x00 ‖ {@link manifestIdentity}), 64 lower-case hexadecimal digits. */
export function manifestIdOf(manifest: ManifestStatement): string {
  return idOf(manifestIdentity(manifest))
}
