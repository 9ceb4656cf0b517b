import { type Manifest, proveRecord } from 'alvarium-sdk/sets'
import { compared } from '../../evidence/sets/entries.js'
import { entryOf } from '../../evidence/sets/key-list.js'
import { CONTENTS } from '../../evidence/sets/manifest.js'
import { invalid } from '../fault.js'
import type { ExitCode, Session } from '../session.js'
import { countOf } from '../terminal/words.js'
import { askedPayload } from './asked.js'
import { saltIn, writeMessage } from './files.js'
import { assertSalted, ownManifestIn } from './manifests.js'
import { type ProveOptions, reportOutcome } from './proving.js'

/**
 * Proves the position of a payload in a manifest, or the record with a number.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 */
export async function provedRecord(
  file: string,
  payload: string | undefined,
  options: ProveOptions,
  session: Session,
): Promise<ExitCode> {
  const { record, expect, out } = options
  if (expect === 'absent') {
    throw invalid(
      '--expect',
      'member, as a manifest is not sorted (alvarium check finds what it lacks)',
      expect,
    )
  }
  const manifest = await ownManifestIn(file, await saltIn(options.salt), session)
  const { size } = manifest.statement
  if (record !== undefined && record > size) {
    throw invalid('--record', `1 to ${size}, the number of a record`, `${record}`)
  }
  const number = payload === undefined ? record : await numberOf(manifest, payload, options, session)
  if (number === undefined) throw invalid('payload', 'a payload, or --record with its number', 'neither')
  if (number === 0)
    return reportOutcome({ outcome: 'does not hold', says: absentBy(manifest, record) }, session)
  await writeMessage(proveRecord(manifest, number), out, session)
  return reportOutcome({ outcome: 'holds', says: `it is record ${number} of the manifest` }, session)
}

function absentBy({ statement }: Manifest, record: number | undefined): string {
  if (record === undefined)
    return `the manifest does not list it among its ${countOf(statement.size, 'record')}`
  return `record ${record} of the manifest is a different one`
}

/**
 * Returns the number of the record, from 1; 0 if the payload is not in the manifest, or not at the number of
 * `--record`.
 */
async function numberOf(
  manifest: Manifest,
  payload: string,
  options: ProveOptions,
  session: Session,
): Promise<number> {
  const { entries, salt } = manifest[CONTENTS]
  assertSalted(manifest.statement, salt)
  const entry = entryOf((await askedPayload(payload, options, session)).item, salt)
  const isAt = (at: number) => compared(entries.blockOf(at), entries.offsetOf(at), entry, 0) === 0
  const { record } = options
  if (record !== undefined) return isAt(record - 1) ? record : 0
  for (let at = 0; at < entries.length; at++) if (isAt(at)) return at + 1
  return 0
}
