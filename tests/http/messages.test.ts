import { signRequest, verifyRequest } from 'alvarium-sdk/http'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { failure, typeError } from '../support/failure.js'
import { keys, signedByRfc, signer } from '../support/requests.js'

const request = { method: 'GET', url: 'https://api.example/readings?unit=K', headers: {} }
const good = '"@method";keyid="k";alg="ed25519"'
const hex = 'ab'.repeat(64)
const long = 'x'.repeat(101)
const now = () => Math.floor(Date.now() / 1000)
type Headers = Record<string, string | string[] | undefined>

describe('the error of a request in the dialect of the other SDKs', () => {
  const said = async (headers: Headers) =>
    (await failure(() => verifyRequest({ ...request, headers }, { keys }))).message

  it.each([
    ['"@method" @path;', 'names in double quotes, then ; and parameters', String.raw`"\"@method\" @path;"`],
    ['x"@method";', 'names in double quotes, then ; and parameters', String.raw`"x\"@method\";"`],
    ['"@method"x;', 'names in double quotes, then ; and parameters', String.raw`"\"@method\"x;"`],
    [
      `"${long}" x`,
      'names in double quotes, then ; and parameters',
      `a text of ${long.length + 4} characters`,
    ],
    ['"@method"', 'parameters such as keyid="name"', '""'],
    [`${good};nonsense`, 'parameters such as keyid="name"', '"nonsense"'],
    [`${good};created="1"`, 'parameters such as keyid="name"', String.raw`"created=\"1\""`],
    [`${good};expires="1"`, 'parameters such as keyid="name"', String.raw`"expires=\"1\""`],
    [`${good};nonce=1`, 'parameters such as keyid="name"', '"nonce=1"'],
    [`${good};Created=1`, 'parameters such as keyid="name"', '"Created=1"'],
    [`${good};created=1x`, 'parameters such as keyid="name"', '"created=1x"'],
    [`${good};created=1;created=1`, 'each parameter once', 'created twice'],
    ['"@method";alg="ed25519"', 'the parameters keyid and alg', String.raw`"alg=\"ed25519\""`],
    ['"X-A" "x-a";', 'each component once', '"x-a" twice'],
    [
      good.replace('method', 'status'),
      '@method, @target-uri, @authority, @scheme, @path, @query or @query-params',
      '"@status"',
    ],
  ])('names what is wrong in Signature-Input: %s', async (input, expected, got) => {
    const headers = { 'Signature-Input': input, Signature: hex }
    const error = await failure(() => verifyRequest({ ...request, headers }, { keys }))
    expect(error).toMatchObject({
      code: 'MESSAGE_MALFORMED',
      message: `signature-input: expected ${expected}, got ${got}`,
    })
  })

  it.each([
    ['no signature', [], 'signature: the header is missing'],
    ['three signatures', [hex, hex, hex], 'signature: expected one header of this name, got 3'],
    ['no hexadecimal', 'xyz', 'signature: expected 128 hexadecimal digits, got "xyz"'],
    ['another signature', hex, 'signature: does not verify with the key k over this request'],
  ])('names what is wrong in the Signature header: %s', async (_, Signature, message) => {
    expect(await said({ 'Signature-Input': good, Signature })).toBe(message)
  })

  it('names an unknown key, unless the name is long', async () => {
    for (const [name, shown] of [
      ['x'.repeat(39), `"${'x'.repeat(39)}"`],
      ['x'.repeat(40), 'a text of 40 characters'],
    ] as const) {
      const input = good.replace('"k"', `"${name}"`)
      const message = await said({ 'Signature-Input': input, Signature: hex })
      expect(message).toBe(`keyid: expected the name of a trusted key, got ${shown}`)
    }
  })

  it('names an algorithm other than ed25519', async () => {
    const input = good.replace('ed25519', 'rsa')
    const message = await said({ 'Signature-Input': input, Signature: hex })
    expect(message).toBe('signature-input: expected alg ed25519, got "rsa"')
  })
})

describe('the error of a request that is signed by RFC 9421', () => {
  const covering = { format: 'rfc9421', keys, components: ['@method'] } as const
  const refused = (headers: Headers, options: object = {}, body?: Uint8Array) =>
    failure(() => verifyRequest({ ...request, headers }, { ...covering, ...options, body } as never))
  const one = 'one signature'
  const several = 's=("@method");tag="a", t=("@method");tag="b"'

  it.each([
    ['  ', one, '0'],
    [several, one, '2: choose one by its label or tag'],
    ['s=?1', 'components in brackets', 's without brackets'],
    ['s=("@method" "@method")', 'each component once', '"@method" twice'],
    ['s=()', '1 to 64 components', '0'],
    ['s=("X-A")', 'components with names in lower case', '"X-A"'],
    ['s=("x-A")', 'components with names in lower case', '"x-A"'],
    ['s=("x-a:")', 'components with names in lower case', '"x-a:"'],
    ['s=(x-a)', 'components with names in lower case', '"x-a"'],
    ['s=(1)', 'components with names in lower case', '"1"'],
    ['s=("@method";bs)', '@method without parameters', '"bs"'],
    ['s=("@query-param";key="a")', '@query-param with the parameter name', '"key"'],
    ['s=("x-a";sf)', 'x-a with the parameter bs or key', '"sf"'],
    ['s=("x-a";bs;key="a")', 'x-a with either ;bs or ;key="…"', 'both parameters'],
    ['s=("x-a";bs=?0)', ';bs without a value', ';bs with another value'],
    ['s=("x-a";key)', ';key with a string', ';key with another value'],
    ['s=("@query-param")', '@query-param with ;name="…"', '@query-param without ;name'],
    [
      's=("@status")',
      'one of @method, @target-uri, @authority, @scheme, @request-target, @path, @query, @query-param',
      '"@status"',
    ],
    ['s=("@method");created=1.5', 'created in whole seconds', 'number'],
    ['s=("@method");expires="1"', 'expires in whole seconds', 'string'],
    ['s=("@method");nonce=1', 'nonce as a string', 'number'],
    ['s=("@method");alg=ed25519', 'alg as a string', 'object'],
    ['s=("@method");keyid=?1', 'keyid as a string', 'boolean'],
    ['s=("@method");tag=a', 'tag as a string', 'object'],
  ])('names what is wrong in Signature-Input: %s', async (input, expected, got) => {
    const timely = `${input};created=${now()};keyid="k"`.replace('=?1;', ';')
    const signature = { Signature: `s=:${btoa('x')}:`, 'x-a': 'a=1' }
    const given = input.includes(';bs;key') ? timely : input
    const error = await refused(
      { 'Signature-Input': given, ...signature },
      { components: given === input ? ['@method'] : ['"x-a";bs;key="a"'] },
    )
    expect(error).toMatchObject({
      code: 'MESSAGE_MALFORMED',
      message: `signature-input: expected ${expected}, got ${got}`,
    })
  })

  it.each([
    [{ label: 'x' }, 'one signature with label "x"', '0'],
    [{ tag: 'x' }, 'one signature with tag "x"', '0'],
    [{ label: 's', tag: 'x' }, 'one signature with label "s" and tag "x"', '0'],
  ])('names the missing signature with the options %j', async (options, expected, got) => {
    const { message } = await refused({ 'Signature-Input': several, Signature: 's=:YWJj:' }, options)
    expect(message).toBe(`signature-input: expected ${expected}, got ${got}`)
  })

  it.each([
    ['missing header', '"x-none"', 'x-none: the header is missing, but was signed'],
    ['header without a value', '"x-undefined"', 'x-undefined: the header is missing, but was signed'],
    ['missing member', '"x-a";key="b"', 'x-a: expected a member "b", got "a=1"'],
    ['missing member of an empty header', '"x-empty";key="b"', 'x-empty: expected a member "b", got ""'],
    ['repeated member of a dictionary', '"x-two";key="a"', 'x-two: expected each name once, got "a=1, a=2"'],
    [
      'missing query parameter',
      '"@query-param";name="a"',
      '@query-param: expected one parameter "a" in the query, got 0',
    ],
  ])('names a %s', async (_, component, message) => {
    const own = { 'x-a': 'a=1', 'x-empty': '', 'x-two': 'a=1, a=2', 'x-undefined': undefined }
    const input = `s=("@method" ${component});created=${now()};keyid="k"`
    const error = await refused({ 'Signature-Input': input, Signature: `s=:${btoa('x')}:`, ...own })
    expect(error).toMatchObject({ code: 'MESSAGE_MALFORMED', message })
  })

  it('reports an empty Signature-Input header as missing', async () => {
    const error = await refused({ 'Signature-Input': '' })
    expect(error.message).toBe('signature-input: the header is missing')
  })

  it('names a header that is not a dictionary, with the position of the fault', async () => {
    const error = await refused({ 'Signature-Input': 's=(' })
    expect(error.message).toMatch(/^signature-input: expected a dictionary \(RFC 9651\), got "s=\(": \w.+/)
    expect(error.cause).toBeInstanceOf(Error)
  })

  it.each([
    ['no header', [], 'signature: the header is missing'],
    ['another label', 't=:YWJj:', 'signature: expected bytes under "s", got no such label'],
    ['a signature that is text', 's="abc"', 'signature: expected bytes under "s", got another value'],
  ])('names what is wrong in the Signature header: %s', async (_, Signature, expected) => {
    const input = `s=("@method");created=${now()};keyid="k"`
    const error = await refused({ 'Signature-Input': input, Signature })
    expect(error).toMatchObject({ code: 'MESSAGE_MALFORMED', message: expected })
  })

  it.each([
    ['s=("@method");keyid="k"', {}, 'created: needs the time of the signature'],
    ['s=("@method");created=CREATED', {}, 'signature-input: needs the parameter keyid'],
    [
      's=("@method");created=CREATED;keyid="k"',
      { components: ['@path', 'x-a'] },
      'signature-input: expected "@path" "x-a" among the signed components, got "@method"',
    ],
    [
      's=("@method" "@query");keyid="k"',
      { components: ['@path'] },
      'signature-input: expected "@path" among the signed components, got "@method" "@query"',
    ],
    ['s=("@method");alg="rsa";keyid="k"', {}, 'signature-input: expected alg ed25519, got "rsa"'],
  ])('names the missing parameter or component in %s', async (template, options, message) => {
    const input = template.replace('CREATED', `${now()}`)
    const error = await refused({ 'Signature-Input': input, Signature: 's=:YWJj:' }, options)
    expect(error).toMatchObject({ code: 'SIGNATURE_INVALID', message })
  })

  it('names a missing or repeated nonce', async () => {
    const created = now()
    const told = async (more: string) => {
      const headers = signedByRfc('"@method": GET\n', `("@method");created=${created};keyid="k"${more}`)
      const { code, message } = await refused(headers, { isNonceFresh: () => false })
      return [code, message]
    }
    expect(await told('')).toEqual(['SIGNATURE_INVALID', 'signature-input: needs a nonce'])
    const used = 'nonce: expected a new nonce, got a nonce that was used before'
    expect(await told(';nonce="1"')).toEqual(['SIGNATURE_INVALID', used])
  })

  it('names an altered or missing body', async () => {
    const components = ['content-digest']
    const headers = await signRequest(request, { ...signer, format: 'rfc9421', components })
    const { message } = await refused(headers, { components }, utf8('x'))
    expect(message).toBe('body: does not match the signed content-digest')
    const bare = () => verifyRequest({ ...request, headers }, { ...covering, components })
    expect((await typeError(bare)).message).toBe('body: expected a Uint8Array, got undefined')
  })
})
