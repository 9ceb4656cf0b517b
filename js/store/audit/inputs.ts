import { toBytes, toHex } from '../../foundation/base/bytes/hex.js'
import { join } from '../../foundation/base/bytes/join.js'
import type { Input } from '../../foundation/model/bundle.js'
import type { Row } from '../database/connection.js'
import type { Session } from '../database/database.js'
import { bytesIn, numberIn } from '../rows/columns.js'
import { datumName, sha256 } from '../rows/payload-name.js'
import { type Findings, placeIn } from './findings.js'
import { datumIn, datumText } from './names.js'
import type { References } from './references.js'

/** SQL expression for one digest of all inputs of a bundle. Inputs with hash `none` are texts, hashed by SHA-256. */
export const INPUTS = `
  (select sha256(coalesce(string_agg(
     coalesce(int2send(hash) || digest || coalesce(sha256(text), ''), '\\xff'), '\\x'::bytea order by place), '\\x'))
   from unnest(bundle.inputs) with ordinality as given (id, place) left join alvarium.datum using (id)) as inputs_digest`

/** Compares a bundle's stored inputs with the signed ones: first their digests, because there can be 65,536 inputs. */
export async function compareInputs(
  session: Session,
  { references, findings }: { references: References; findings: Findings },
  row: Row,
  inputs: readonly Input[] | undefined,
): Promise<void> {
  const expected = inputs && shownInputs(inputs.length, inputsDigest(inputs))
  const count = row['input_count']
  const got = count === null ? undefined : shownInputs(count, bytesIn(row, 'inputs_digest'))
  const from = placeIn('bundle', row['seq'], 'inputs')
  if (expected === got) {
    const bounds = inputs && `[1:${inputs.length}]`
    findings.compare({ ...from, what: 'bounds of the inputs' }, bounds, row['input_bounds'])
    return
  }
  const found = await session.query(EACH, [String(row['seq'])])
  if (!inputs || found.length !== inputs.length || isInAnotherOrder(inputs, found)) {
    findings.compare(from, expected, got)
    return
  }
  for (const [at, input] of inputs.entries()) {
    const one = found[at] as Row
    references.datum(from, numberIn(one, 'id'), input, datumIn(one, ''))
  }
}

const EACH = `
  select id, hash, digest, text
  from unnest((select inputs from alvarium.bundle where seq = $1::text::bigint)) with ordinality as given (id, place)
  left join alvarium.datum using (id) order by place`

function isInAnotherOrder(inputs: readonly Input[], found: readonly Row[]): boolean {
  const names = new Set(found.map((row) => datumIn(row, '')))
  return inputs.every((input) => names.has(datumText(input)))
}

function inputsDigest(inputs: readonly Input[]): Uint8Array {
  const parts = inputs.flatMap((input) => {
    const { hash, digest, text } = datumName(input)
    const bytes = toBytes(digest.toLowerCase()) as Uint8Array
    return [Uint8Array.of(0, hash), bytes, text ? bytes : NOTHING]
  })
  return sha256(join(parts).bytes)
}

const NOTHING = new Uint8Array()

function shownInputs(count: unknown, digest: Uint8Array): string {
  return `${count} with the digest ${toHex(digest)}`
}
