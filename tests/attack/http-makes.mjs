// Requests of all kinds that are known to cost time. Unsigned text selects the parts to read, and how often.

/** @typedef {import('./random.mjs').Random} Random */
/**
 * @typedef {object} Crafted
 * @property {string} [url] @property {string} [format] the format of the annotator
 * @property {[string, string][]} headers
 */

const NOW = () => Math.floor(Date.now() / 1000)
const SIGNATURE = `s=:${Buffer.alloc(64, 7).toString('base64')}:`
const HEX = 'ab'.repeat(64)

/** Writes a signature input that only the last check rejects. */
function input(components, more = '', keyId = 'k') {
  return `s=("@method" ${components.join(' ')});created=${NOW()};keyid="${keyId}"${more}`
}

/** Signers of the policy for some requests, with the number and algorithm of their keys. */
export const SIGNERS = {
  four: { count: 4 },
  many: { count: 256 },
  ended: { count: 256, until: '2020-01-01T00:00:00Z' },
  'four of P-256': { count: 4, algorithm: 'P-256' },
  'many of P-256': { count: 256, algorithm: 'P-256', until: '2020-01-01T00:00:00Z' },
}

/** @returns {Crafted} */
const rfc = (components, headers, { url, more, signature = SIGNATURE } = {}) => ({
  url,
  format: 'little',
  headers: [['Signature-Input', input(components, more)], ['Signature', signature], ...headers],
})

/** @returns {Crafted} */
const alvarium = (fields, headers, { url, more = '' } = {}) => ({
  url,
  format: 'alvarium',
  headers: [
    ['Signature-Input', `${fields.map((name) => `"${name}"`).join(' ')};keyid="k";alg="ed25519"${more}`],
    ['Signature', HEX],
    ...headers,
  ],
})

function many(size, one, joint = '') {
  const parts = []
  for (let left = size; left > 0; ) {
    const part = one(parts.length)
    left -= part.length + joint.length
    if (left > 0) parts.push(part)
  }
  return parts
}

const some = (random, most) => 1 + random.below(most)
const numbered = (count, one) => Array.from({ length: count }, (_, at) => one(at))
const WHITE = [' ', '\t', '  ', ' \t']
const ENCODED = ['%c3%a9', '%20', '+', '%ff', 'a', "'", '~', '%F0%9F%98%80']
const ITEMS = ['a', '1', '1.5', '?1', '"a"', ':YQ==:', '@1', '%"a"', 'a;b', '"\\""', '()']

/** @type {Record<string, (random: Random, size: number) => Crafted>} */
export const MAKES = {
  'a signer of many keys': (random, size) => {
    const more = random.pick(['', ';alg="ed25519"', ';alg="ecdsa-p256-sha256"'])
    const headers = [
      ['Signature-Input', input(['"x"'], more, random.pick(Object.keys(SIGNERS)))],
      ['Signature', SIGNATURE],
      ['x', 'y'.repeat(size / 2)],
    ]
    return { format: 'policy', headers }
  },
  'many components': (random, size) => {
    const names = numbered(some(random, 80), (at) => `x-${at}`)
    const value = 'v'.repeat(size / names.length)
    return rfc(
      names.map((name) => `"${name}"`),
      names.map((name) => [name, value]),
    )
  },
  'the whole query again and again': (random, size) => {
    const components = ['@query', '@target-uri', '@request-target', '@path'].map((name) => `"${name}"`)
    return rfc(components, [], { url: `/?${random.pick(ENCODED).repeat(size / 8)}` })
  },
  'many of the query': (random, size) => {
    const filler = random.pick(ENCODED).repeat(some(random, 20))
    const pairs = many(size, (at) => `a${at}=${filler}`, '&')
    const components = numbered(some(random, 60), (at) => `"@query-param";name="a${at}"`)
    return rfc(components, [], { url: `/?${pairs.join('&')}` })
  },
  'one of the query, there often': (_, size) =>
    rfc([`"@query-param";name="a"`], [], { url: `/?${many(size, () => 'a=b', '&').join('&')}` }),
  'many members of one header': (random, size) => {
    const filler = random.pick(ITEMS)
    const members = many(size, (at) => `a${at}=${filler}`, ', ')
    const components = numbered(some(random, 60), (at) => `"x";key="a${at}"`)
    return rfc(components, [['x', members.join(', ')]])
  },
  'members of many headers': (random, size) => {
    const names = numbered(some(random, 40), (at) => `x-${at}`)
    const members = many(size / names.length, (at) => `a${at}`, ',').join(',')
    const components = names.map((name) => `"${name}";key="a0"`)
    return rfc(
      components,
      names.map((name) => [name, members]),
    )
  },
  // The slowest serialization, in as many components as are allowed, next to a long value.
  'members and parameters that are written again': (random, size) => {
    const [members, parameters] = [random.below(61), random.below(61)]
    const [text, value] = [random.pick(['\\"', '%41', 'x']), random.pick(["'", '%27', '%F0%9F%98%80', '~'])]
    const [quote, length] = [text === '%41' ? '%"' : '"', 10 + random.below(size / 200)]
    const header = numbered(members, (at) => `a${at}=${quote}${text.repeat(length / text.length)}"`)
    const query = numbered(parameters, (at) => `a${at}=${value.repeat(length / value.length)}`)
    const components = [
      ...header.map((_, at) => `"x";key="a${at}"`),
      ...query.map((_, at) => `"@query-param";name="a${at}"`),
    ]
    const headers = [
      ['x', header.join(', ')],
      ['y', 'v'.repeat(30_000)],
    ]
    return rfc(['"y"', ...components.slice(0, 62)], headers, { url: `/?${query.join('&')}` })
  },
  'headers as bytes': (random, size) => {
    const lines = some(random, 250)
    const components = ['"x";bs', '"x"']
    return rfc(
      components,
      numbered(lines, () => ['x', 'y'.repeat(size / lines)]),
    )
  },
  'many lines': (random, size) => {
    const name = random.pick([() => 'x', (at) => `x-${at}`])
    return rfc(
      ['"x"'],
      many(size, (at) => `${name(at)}: y`, '\r\n').map((line) => line.split(': ')),
    )
  },
  'white space': (random, size) => {
    const white = random.pick(WHITE)
    const value = random.pick([`a${white.repeat(size / 2)}b`, `a${white}`.repeat(size / 3)])
    return random.pick([rfc, alvarium])(['"x"'], [['x', value]])
  },
  'many signatures': (random, size) => {
    const list = numbered(some(random, 30), () => random.pick(ITEMS)).join(' ')
    const more = many(size, (at) => `t${at}=(${list})`, ', ').join(', ')
    return rfc([], [], { more: `, ${more}`, signature: `${SIGNATURE}, ${more}` })
  },
  'lists in lists': (_, size) => rfc(['('.repeat(size), ')'.repeat(9)], []),
  'long lists': (random, size) =>
    rfc(
      many(size, () => random.pick(ITEMS), ' '),
      [],
    ),
  'many parameters': (random, size) => {
    const value = random.pick(['', '=1', '="x"', '=?0', '=:YQ==:'])
    return rfc([], [], { more: many(size, (at) => `;a${at}${value}`).join('') })
  },
  'a long string': (random, size) => {
    const text = random.pick(['x', '\\"', '\\\\', ';', ',', ' ', '%"']).repeat(size / 2)
    return rfc([], [], { more: `;nonce="${text}${random.pick(['"', '', '\\'])}` })
  },
  'a long signature': (random, size) => {
    const value = random.pick([':YQ==', ':', 'a', '"', '%"', '1', '*']).repeat(size / 3)
    return rfc([], [], { signature: `${SIGNATURE}, t=${value}` })
  },
  'names that are long': (random, size) => {
    const name = random.pick(['x', 'x-', '@']).repeat(size / 3)
    return rfc([`"${name}"`], [[name, 'y']])
  },
  'digests by many algorithms': (random, size) => {
    const digests = many(size, (at) => `${random.pick(['sha-', 'md'])}${at}=:YWJj:`, ', ').join(', ')
    return rfc(['"content-digest"', '"content-digest";key="sha-1"'], [['Content-Digest', digests]])
  },
  'a long path': (random, size) => {
    const url = `/${random.pick([...ENCODED, '/', './', '../', '//']).repeat(size / 8)}`
    return random.pick([rfc, alvarium])(['"@path"', '"@target-uri"'], [], { url })
  },
  'a long host': (random, size) =>
    rfc(['"@authority"'], [['Host', random.pick(['A', ':', ':80']).repeat(size / 3)]]),
  nonsense: (random, size) => {
    const text = numbered(size, () => String.fromCharCode(32 + random.below(95))).join('')
    return rfc([], [], { more: random.pick([';', ', ', '']) + text, signature: text })
  },
  'fields of the other SDKs': (random, size) => {
    const names = numbered(some(random, 500), (at) => `x-${at}`)
    return alvarium(
      names,
      names.map((name) => [name, random.pick(['y', 'y  ', 'y\t']).repeat(size / names.length / 2)]),
    )
  },
  'parameters of the other SDKs': (random, size) => {
    const more = many(size, (at) => `;${letters(at)}="${random.pick(['', 'x', '='])}"`).join('')
    return alvarium(['@method'], [], { more })
  },
  'the query of the other SDKs': (random, size) => {
    const pairs = many(size, () => random.pick(['a=b', '=', 'a=']), '&')
    return alvarium(['@query-params', '@query', '@target-uri'], [], { url: `/?${pairs.join('&')}` })
  },
}

/** @param {number} number */
function letters(number) {
  return [...number.toString(26)]
    .map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)))
    .join('')
}
