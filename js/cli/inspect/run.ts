import type { Annotation, Bundle } from 'alvarium-sdk/verify'
import { EXIT, type Run } from '../session.js'
import { madeFromLines } from '../terminal/bundle-text.js'
import { bold, dim, padText, type SafeText, safeText, yellow } from '../terminal/safe-text.js'
import { countOf, sdkName } from '../terminal/words.js'
import { inspectSource } from './found.js'
import type { Inspection, SignedBytes } from './inspection.js'

export const run: Run<{ readonly json?: boolean }> = async ([source = '-'], { json }, { out, input }) => {
  const inspected = await inspectSource(source, input)
  await out.show(json, inspected, () => [
    yellow('not verified: anyone may have written this (alvarium verify checks it)'),
    ...inspectionRows(inspected).map((row) => safeText`  ${row}`),
  ])
  return EXIT.yes
}

/** Maximum number of bundles shown for a batch. More rows would push the later fields off the screen. */
const MAX_BUNDLES = 20

function inspectionRows(inspected: Inspection): SafeText[] {
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
            `a batch of ${proof.size}, at ${proof.index}; ${countOf(proof.path.length, 'hash', 'hashes')} lead to its root`,
          ),
        ]
      : []),
    ...bundles.slice(0, MAX_BUNDLES).flatMap((bundle, at) => bundleRows(bundle, isBatch ? at : undefined)),
    ...(bundles.length > MAX_BUNDLES
      ? [dim(`… and ${countOf(bundles.length - MAX_BUNDLES, 'more bundle')} (--json has all)`)]
      : []),
    ...annotations.map(
      (one) =>
        safeText`${padText('annotation', 12)}${annotationText(one)}  ${one.key}  ${one.host}  ${one.timestamp}`,
    ),
    ...signed.flatMap(signedRows),
  ]
}

function field(name: string, value: string): SafeText {
  return safeText`${padText(name, 12)}${value}`
}

function bundleRows(bundle: Omit<Bundle, 'signer'>, at: number | undefined): SafeText[] {
  const { action, key, hash, host, layer, timestamp, annotations } = bundle
  return [
    ...(at === undefined ? [] : [bold(`bundle ${at}`)]),
    field('action', action),
    field('key', `${key} (${hash})`),
    ...madeFromLines(bundle).map((line, place) => field(place === 0 ? 'made from' : '', line)),
    field('host', `${host} (${layer})`),
    field('time', timestamp),
    ...annotations.map(
      (one) => safeText`${padText('annotation', 12)}${annotationText(one)}  ${dim(one.id)}  ${one.tag}`,
    ),
  ]
}

/** Returns an annotation as text without ✓ or ✗, because inspecting a message verifies nothing. */
function annotationText({ kind, isSatisfied }: Pick<Annotation, 'kind' | 'isSatisfied'>): SafeText {
  return safeText`${kind} says ${isSatisfied ? 'yes' : 'no'}`
}

function signedRows({ bytes, sha256, signature }: SignedBytes): SafeText[] {
  return [
    field('signature', signature),
    field('is over', `${countOf(bytes.length / 2, 'byte')}, SHA-256 ${sha256}:`),
    ...hexRows(Buffer.from(bytes, 'hex')),
  ]
}

const ROW_BYTES = 16
/** Maximum number of signed bytes shown. Most classic annotations and bundles are shorter. */
const MAX_SHOWN_BYTES = 1024

/** Formats bytes in rows of 16: offset, hexadecimal, text. Resembles `hexdump -C`. */
function hexRows(bytes: Uint8Array): SafeText[] {
  const rows: SafeText[] = []
  for (let at = 0; at < Math.min(bytes.length, MAX_SHOWN_BYTES); at += ROW_BYTES) {
    const row = bytes.subarray(at, at + ROW_BYTES)
    const digits = Array.from(row, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = Array.from(row, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'))
    rows.push(
      safeText`  ${dim(at.toString(16).padStart(6, '0'))}  ${padText(digits, 3 * ROW_BYTES)} ${text.join('')}`,
    )
  }
  if (bytes.length > MAX_SHOWN_BYTES)
    rows.push(dim(`  … and ${countOf(bytes.length - MAX_SHOWN_BYTES, 'more byte')} (--json has all)`))
  return rows
}
