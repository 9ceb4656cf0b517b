// Scalars for members where they are invalid, and alterations of scalars; in JSON and in CBOR.

import { head } from './tree.mjs'

/** Texts with a meaning in some member, at a limit or beyond it. */
const TEXTS = [
  ...[
    'create',
    'mutate',
    'transit',
    'publish',
    'Create',
    'sha256',
    'md5',
    'none',
    'SHA256',
    'app',
    'host',
    'os',
  ],
  ...['alvarium.AnnotationBundle/1', 'alvarium.AnnotationBatch/1', 'alvarium.BatchedBundle/1'],
  ...[
    'contracts.AnnotationList',
    'com.alvarium.contracts.AnnotationList',
    'x::AnnotationList',
    'AnnotationList',
  ],
  ...['2026-11-20T10:00:00Z', '2026-11-20T23:59:60Z', '2026-02-29T10:00:00Z', '2024-02-29T10:00:00-00:00'],
  ...['2026-11-20t10:00:00z', '2026-11-20T24:00:00Z', '2026-11-20T10:00:00.1234567890Z', '2026-11-20T10:00Z'],
  ...['7ZZZZZZZZZZZZZZZZZZZZZZZZZ', '80000000000000000000000000', '01m7w6c3bv03zh28hk8hapcxw8'],
  ...[
    '',
    ' ',
    '\0',
    '\ufeff',
    '\ufeffcreate',
    'é',
    'e\u0301',
    'ß',
    '😀',
    '\u2028',
    '\x7f',
    '\ufffd',
    '\u202e',
  ],
  ...['__proto__', 'constructor', 'toString', 'null', 'true', '0'],
  ...['0'.repeat(32), '0'.repeat(64), 'A'.repeat(64), '0'.repeat(128), 'f'.repeat(127)],
  ...[254, 255, 256, 1024, 1025].map((length) => 'x'.repeat(length)),
]
/** Names of members, in the order of their numbers in CBOR. */
const NAMES =
  'action messageType content signature signer key previousKey hash host layer timestamp annotations id kind tag isSatisfied bundles proof index size path inputs set items'.split(
    ' ',
  )
const NUMBERS =
  '0 -0 1 -1 1.0 1e0 0.1 01 +1 1e400 255 256 65535 65536 65537 4294967295 4294967296 9007199254740993 18446744073709551616 NaN'.split(
    ' ',
  )
const LONE = [
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\ud83d"',
  '"\\ud83d\\u0065"',
  '"\\x"',
  '"\\u00"',
  '"\n"',
  '"',
]

/** The format's parameters for {@link import('./alter.mjs').alter}. */
export const JSON_SPELLINGS = {
  scalars: [...TEXTS.map((text) => JSON.stringify(text)), ...NUMBERS, ...LONE, 'true', 'false', 'null', ''],
  names: [...NAMES, 'Action', '__proto__', '', 'ключ'].map((name) => JSON.stringify(name)),
  respelt: respeltJson,
}

const hex = (text) => Buffer.from(text, 'hex')
const textItem = (text) => Buffer.concat([head(3, Buffer.byteLength(text)), Buffer.from(text)])

export const CBOR_SPELLINGS = {
  scalars: [
    ...TEXTS.map(textItem),
    ...[0, 1, 15, 16, 17, 32, 63, 64, 65].map((length) =>
      Buffer.concat([head(2, length), Buffer.alloc(length)]),
    ),
    // Integers at limits, and not in the shortest form; floats; simple values; tags; indefinite lengths; reserved
    // values.
    ...'00 01 17 1800 1817 1818 190000 19ffff 1a00010000 1affffffff 1b0000000000000001 1bffffffffffffffff 20 3bffffffffffffffff'
      .split(' ')
      .map(hex),
    ...'f90000 f98000 f97e00 fa47800000 fb7ff0000000000000 f4 f5 f6 f7 f800 f820 e0 c000 c101 c24101 d9d9f7a0 d81800'
      .split(' ')
      .map(hex),
    ...'9fff bfff 5fff 7fff 7f6161ff ff 1c 3e 5c 7d 9c bd dc fc 62c328 62eda080 63edbfbf 5affffffff 7bffffffffffffffff 9affffffff'
      .split(' ')
      .map(hex),
  ],
  names: [
    ...NAMES.map((_, number) => head(0, number)),
    ...'1805 190002 20 f90000 6161 4105 1818 1bffffffffffffffff f5'.split(' ').map(hex),
    ...NAMES.map(textItem),
  ],
  respelt: respeltCbor,
}

const CHARACTERS = [
  'a',
  'Z',
  '0',
  ' ',
  '/',
  '\\"',
  '\\\\',
  '\\/',
  '\\u0000',
  '\\n',
  'é',
  '😀',
  '\\ud83d\\ude00',
  '\ufeff',
  '<',
]

/** @param {string} json a scalar @param {import('./random.mjs').Random} random */
function respeltJson(json, random) {
  if (json[0] !== '"') return random.pick([` ${json}`, `${json}0`, `-${json}`, `${json}.0`, `"${json}"`])
  const text = json.slice(1, -1)
  const at = random.below(text.length + 1)
  const one = text.charCodeAt(at) || 0x61
  const escaped = `\\u${one.toString(16).padStart(4, '0')}`
  const changed = random.pick([
    () => `${text.slice(0, at)}${escaped}${text.slice(at + 1)}`,
    () => `${text.slice(0, at)}${random.pick(CHARACTERS)}${text.slice(at)}`,
    () => `${text.slice(0, at)}${text.slice(at + 1)}`,
    () => text.toUpperCase(),
    () => text.toLowerCase(),
    () => text.normalize('NFD'),
    () => text.repeat(1 + random.below(20)),
    () => text.padEnd(random.pick([128, 255, 256, 1024, 1025, 65_536, 65_537]), 'x'),
  ])
  return `"${changed()}"`
}

/** @param {Buffer} item @param {import('./random.mjs').Random} random */
function respeltCbor(item, random) {
  const major = item[0] >> 5
  if (major !== 2 && major !== 3)
    return Buffer.concat([random.pick(['18', '19', 'c1', '81', 'd818', 'f8'].map(hex)), item])
  const start = item[0] & 31
  const body = item.subarray(start < 24 ? 1 : start === 24 ? 2 : start === 25 ? 3 : 5)
  const at = random.below(body.length + 1)
  const changed = random.pick([
    () => Buffer.concat([body.subarray(0, at), random.bytes(1), body.subarray(at)]),
    () => Buffer.concat([body.subarray(0, at), body.subarray(at + 1)]),
    () => Buffer.concat([body, Buffer.alloc(random.pick([1, 128, 1024, 65_536]), 0x78)]),
    () => Buffer.concat(Array.from({ length: random.below(20) }, () => body)),
    () => Buffer.from(body.toString('latin1').toUpperCase(), 'latin1'),
    () => Buffer.from(body.toString('hex')),
  ])()
  const kind = random.below(8) === 0 ? 5 - major : major
  // Some scalars are not in the shortest form, or have a wrong length.
  const length = Math.max(0, changed.length + (random.below(10) === 0 ? random.below(3) - 1 : 0))
  const long = Buffer.from([(kind << 5) | 26, 0, 0, 0, 0])
  long.writeUInt32BE(length, 1)
  return Buffer.concat([random.below(6) === 0 ? long : head(kind, length), changed])
}
