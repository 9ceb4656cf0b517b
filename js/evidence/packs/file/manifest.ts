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

/** Manifest of a pack, stored as its last part. */
export interface PackManifest {
  readonly about: PackSubject
  /** Time at which the pack was made, in RFC 3339. Its author states the time, and no signature covers it. */
  readonly made: string
  /** All parts of the pack except the manifest, in the order of the file. */
  readonly parts: readonly PackPart[]
}

const FORMAT = 'alvarium.Pack/1'

export const madeTime = timeLike('2026-11-20T10:00:00.000Z')

/**
 * Maximum number of parts. A pack of maximum length has at most 4,095 parts of 1 MiB or more, and a few shorter ones.
 * Reporting the faults of 600,000 parts would take 3 s and 900 MiB of memory.
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

export function writeManifest(manifest: PackManifest): Uint8Array {
  return canonicalBytes({ format: FORMAT, ...manifest })
}

/** @throws AlvariumError `MESSAGE_MALFORMED`, also for a part that was altered or is not listed */
export async function readManifest(bytes: Uint8Array, parts: readonly PackPart[]): Promise<PackManifest> {
  const { format: _, ...manifest } = checkSchema(schema, await jsonIn(MANIFEST, bytes), MANIFEST)
  for (const [at, part] of parts.entries()) assertListed(part, manifest.parts[at])
  const [missing] = manifest.parts.slice(parts.length)
  if (missing)
    throw new AlvariumError(
      'MESSAGE_MALFORMED',
      `pack: the part ${missing.name} is missing: it was taken out`,
    )
  // Accept only the canonical spelling, because the hash of these bytes is the id of the pack.
  if (isSame(bytes, writeManifest(manifest))) return manifest
  throw malformed(MANIFEST, 'canonical JSON', 'JSON in another form')
}

function assertListed({ name, bytes, sha256 }: PackPart, listed: PackPart | undefined): void {
  if (listed?.name === name && listed.bytes === bytes && listed.sha256 === sha256) return
  if (listed?.name === name)
    throw new AlvariumError('MESSAGE_MALFORMED', `pack: ${name} does not match the manifest: it was altered`)
  throw malformed('pack', listed ? `the part ${listed.name}` : 'only parts that the manifest lists', name)
}
