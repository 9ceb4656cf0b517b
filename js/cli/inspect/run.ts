import type { Annotation, Bundle } from 'alvarium-sdk/verify'
import { EXIT, type Run } from '../session.js'
import { madeFromLines } from '../terminal/inputs.js'
import { bold, dim, padded, type Shown, shown, yellow } from '../terminal/shown.js'
import { counted, sdkName } from '../terminal/words.js'
import { inspectedSource } from './found.js'
import type { Inspected, SignedBytes } from './inspected.js'

export const run: Run<{ readonly json?: boolean }> = async (
  [source = '-'],
  { json = false },
  { out, input },
) => {
  const inspected = await inspectedSource(source, input)
  if (json) {
    await out.json(inspected)
    return EXIT.yes
  }
  await out.line(yellow('not verified: anyone may have written this (alvarium verify checks it)'))
  for (const row of rowsOf(inspected)) await out.line(shown`  ${row}`)
  return EXIT.yes
}

/** Maximum number of bundles shown of a batch: more would hide the fields after them. */
const MOST_SHOWN = 20

/** Returns the fields of a message and its signed bytes, for people. */
function rowsOf(inspected: Inspected): Shown[] {
  const { messageType, dialect, signer, proof, fields = [], bundles, annotations, signed } = inspected
  const isBatch = bundles.length > 1
  return [
    field('type', dialect ? `${messageType} (${sdkName(dialect)} SDK format)` : messageType),
    ...(signer ? [field('signer', signer)] : []),
    ...fields.map(([name, value]) => field(name, value)),
    ...(proof
      ? [
          field(
            'out of',
            `a batch of ${proof.size}, at ${proof.index}; ${counted(proof.path.length, 'hash', 'hashes')} lead to its root`,
          ),
        ]
      : []),
    ...bundles.slice(0, MOST_SHOWN).flatMap((bundle, at) => bundleRows(bundle, isBatch ? at : undefined)),
    ...(bundles.length > MOST_SHOWN
      ? [dim(`… and ${counted(bundles.length - MOST_SHOWN, 'more bundle')} (--json has all)`)]
      : []),
    ...annotations.map(
      (one) => shown`${padded('annotation', 12)}${said(one)}  ${one.key}  ${one.host}  ${one.timestamp}`,
    ),
    ...signed.flatMap(signedRows),
  ]
}

function field(name: string, value: string): Shown {
  return shown`${padded(name, 12)}${value}`
}

function bundleRows(bundle: Omit<Bundle, 'signer'>, at: number | undefined): Shown[] {
  const { action, key, hash, host, layer, timestamp, annotations } = bundle
  return [
    ...(at === undefined ? [] : [bold(`bundle ${at}`)]),
    field('action', action),
    field('key', `${key} (${hash})`),
    ...madeFromLines(bundle).map((line, place) => field(place === 0 ? 'made from' : '', line)),
    field('host', `${host} (${layer})`),
    field('time', timestamp),
    ...annotations.map((one) => shown`${padded('annotation', 12)}${said(one)}  ${dim(one.id)}  ${one.tag}`),
  ]
}

/** Returns an answer without a mark, because nothing of it is verified. */
function said({ kind, isSatisfied }: Pick<Annotation, 'kind' | 'isSatisfied'>): Shown {
  return shown`${kind} says ${isSatisfied ? 'yes' : 'no'}`
}

/** Returns the rows of a signature. A classic message has one for each annotation. */
function signedRows({ bytes, sha256, signature }: SignedBytes): Shown[] {
  return [
    field('signature', signature),
    field('is over', `${counted(bytes.length / 2, 'byte')}, SHA-256 ${sha256}:`),
    ...hexRows(Buffer.from(bytes, 'hex')),
  ]
}

const ROW_BYTES = 16
/** Maximum number of signed bytes shown: enough for every classic annotation and most bundles. */
const MOST_BYTES = 1024

/** Formats bytes in the format of `hexdump -C`. */
function hexRows(bytes: Uint8Array): Shown[] {
  const rows: Shown[] = []
  for (let at = 0; at < Math.min(bytes.length, MOST_BYTES); at += ROW_BYTES) {
    const row = bytes.subarray(at, at + ROW_BYTES)
    const digits = Array.from(row, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = Array.from(row, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'))
    rows.push(
      shown`  ${dim(at.toString(16).padStart(6, '0'))}  ${padded(digits, 3 * ROW_BYTES)} ${text.join('')}`,
    )
  }
  if (bytes.length > MOST_BYTES)
    rows.push(dim(`  … and ${counted(bytes.length - MOST_BYTES, 'more byte')} (--json has all)`))
  return rows
}
