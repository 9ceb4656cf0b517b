import * as v from 'valibot'
import { isSame } from '../../../foundation/base/bytes/same.js'
import { AlvariumError, malformed } from '../../../foundation/base/errors.js'
import { strict, withMaxItems } from '../../../foundation/base/options/schema.js'
import { canonicalBytes } from '../../../foundation/base/text/canonical.js'
import { count, hash } from '../../sets/schemas.js'
import { type PackSubject, subject, timeLike } from '../subject.js'
import { checkSchema, jsonIn } from './json.js'
import type { PackPart } from './pack-writer.js'
import { MANIFEST } from './parts.js'

/** Description of a pack, stored as its last part. */
export interface PackManifest {
  readonly about: PackSubject
  /** Time in RFC 3339 at which the pack was made, as its author states it. Nobody signs it. */
  readonly made: string
  /** List of all other parts, in order. */
  readonly parts: readonly PackPart[]
}

/** FORMAT.md, Packs. */
const FORMAT = 'alvarium.Pack/1'

/** Schema of the time at which a pack was made. */
export const madeTime = timeLike('2026-11-20T10:00:00.000Z')

/**
 * Limit of parts. The longest pack has 4,096 of 1 MiB each, and a few that are not full. Reporting the faults of 600,000 would take 3 s and
 * 900 MiB.
 */
const MAX_PARTS = 4_200

const schema = strict({
  format: v.literal(FORMAT, FORMAT),
  about: subject,
  made: madeTime,
  parts: withMaxItems(
    v.array(strict({ name: v.string('a name'), bytes: count, sha256: hash }), 'an array'),
    MAX_PARTS,
    'parts',
  ),
})

/** Writes a manifest as canonical JSON. */
export function writeManifest(manifest: PackManifest): Uint8Array {
  return canonicalBytes({ format: FORMAT, ...manifest })
}

/**
 * Reads a manifest and compares it with the parts that were read before it.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED` also for a part that was altered, or is not in it
 */
export async function readManifest(bytes: Uint8Array, parts: readonly PackPart[]): Promise<PackManifest> {
  const { format: _, ...manifest } = checkSchema(schema, await jsonIn(MANIFEST, bytes), MANIFEST)
  for (const [at, part] of parts.entries()) assertListed(part, manifest.parts[at])
  const [missing] = manifest.parts.slice(parts.length)
  if (missing)
    throw new AlvariumError(
      'MESSAGE_MALFORMED',
      `pack: the part ${missing.name} is missing: it was taken out`,
    )
  // Accept one spelling only, because the hash of the manifest is the id of the pack.
  if (isSame(bytes, writeManifest(manifest))) return manifest
  throw malformed(MANIFEST, 'canonical JSON', 'JSON in another form')
}

function assertListed({ name, bytes, sha256 }: PackPart, listed: PackPart | undefined): void {
  if (listed?.name === name && listed.bytes === bytes && listed.sha256 === sha256) return
  if (listed?.name === name)
    throw new AlvariumError('MESSAGE_MALFORMED', `pack: ${name} does not match the manifest: it was altered`)
  throw malformed('pack', listed ? `the part ${listed.name}` : 'only parts of the manifest', name)
}
