import type { PackManifest } from 'alvarium-sdk/packs'
import { readManifest } from '../../evidence/packs/file/manifest.js'
import type { PackPart } from '../../evidence/packs/file/pack-writer.js'
import { MANIFEST } from '../../evidence/packs/file/parts.js'
import { partsOf } from '../../evidence/packs/file/read-parts.js'
import { needs } from '../../foundation/base/errors.js'
import { count, countOf } from '../terminal/words.js'
import { type Field, type Inspection, inspectFields } from './inspection.js'

/** Maximum size of a pack in bytes, equal to the default of `verifyPack`. */
const MAX_BYTES = 1_073_741_824

export async function inspectedPack(pieces: AsyncIterable<Uint8Array>): Promise<Inspection> {
  const parts: PackPart[] = []
  let manifest: PackManifest | undefined
  let id = ''
  for await (const { content, ...part } of partsOf(pieces, {}, MAX_BYTES)) {
    if (part.name !== MANIFEST) parts.push(part)
    else {
      manifest = await readManifest(content, parts)
      id = part.sha256
    }
  }
  if (!manifest) throw needs('pack', `${MANIFEST} as its last part`, 'MESSAGE_MALFORMED')
  return inspectFields('alvarium.Pack/1', [
    ['id', id],
    ['about', JSON.stringify(manifest.about)],
    ['made', manifest.made],
    ['parts', countOf(parts.length, 'part')],
    ...parts.map(({ name, bytes }): Field => ['', `${name}, ${count(bytes)} bytes`]),
    ['signed by', 'nobody: alvarium pack verify verifies its lines'],
  ])
}
