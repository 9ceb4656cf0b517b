// @node-only: the same core reads the same bytes in every engine

import { generateKey, Keyring, signBytes, toHex, verifyClassic } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { base64, concat, utf8 } from '../support/bytes.js'
import { caseOf, keyringOf, listOf, verdicts, withList } from '../support/classic.js'
import { failure, typeError } from '../support/failure.js'
import { genuineMessages } from '../support/messages.js'
import { countedTurns } from '../support/turns.js'
import { vectorBytes } from '../support/vectors.js'

const { message: go } = caseOf('go', 'create-hello')
const { message: java } = caseOf('java', 'base-create-pki-utf8seed-tag')
const { message: python } = caseOf('python', 'create-hello')
const { message: rust } = caseOf('rust', 'create-hello-tagged')
const keyring = new Keyring([...keyringOf('go'), ...keyringOf('rust')])

/** Returns a function that alters the first annotation of a list. */
const first =
  (search: string | RegExp, by: string) =>
  (list: string): string =>
    list.replace(search, () => by)

const upperSignature = (list: string) =>
  list.replace(/"signature":"[0-9a-f]+/, (hit) => `"signature":"${hit.slice(13).toUpperCase()}`)

describe('an altered annotation in a classic message', () => {
  it.each<[string, string, (list: string) => string, string]>([
    ['its kind', go, first('"kind":"src"', '"kind":"tls"'), 'SIGNATURE_INVALID'],
    ['its answer', go, first('"isSatisfied":true', '"isSatisfied":false'), 'SIGNATURE_INVALID'],
    ['its key', java, first('"key":"1', '"key":"2'), 'SIGNATURE_INVALID'],
    ['its host', rust, first('"host":"vm"', '"host":"vn"'), 'SIGNATURE_INVALID'],
    ['a tag that is added', go, first('"layer"', '"tag":"v1","layer"'), 'SIGNATURE_INVALID'],
    ['an empty tag that is added', go, first('"layer"', '"tag":"","layer"'), 'SIGNATURE_INVALID'],
    ['its tag, which is removed', java, first(/"tag":".*?",/, ''), 'SIGNATURE_INVALID'],
    ['its layer', python, first('"kind"', '"layer": "app", "kind"'), 'MESSAGE_MALFORMED'],
    ['its timestamp to another form of the same time', go, first(/Z"/, '+00:00"'), 'SIGNATURE_INVALID'],
    ['its id', rust, first('"id":"01', '"id":"02'), 'SIGNATURE_INVALID'],
    ['its signature', go, first(/"signature":"../, '"signature":"00'), 'SIGNATURE_INVALID'],
    ['an escape of a text', java, first('<b>', '\\u003cb>'), 'verified'],
    ['an escape that the Rust SDK does not write', rust, first('v1', '\\u0076\\u0031'), 'SIGNATURE_INVALID'],
    [
      'the order of its members',
      go,
      first(/("id":"[^"]*"),("key":"[^"]*")/, '"key":"K","id":"I"'),
      'MESSAGE_MALFORMED',
    ],
    ['white space that is added', go, first('"kind":', '"kind": '), 'MESSAGE_MALFORMED'],
    [
      'a member that is repeated',
      go,
      first('"kind":"src"', '"kind":"src","kind":"src"'),
      'MESSAGE_MALFORMED',
    ],
    [
      'a second signature that is added',
      go,
      first('"signature"', '"signature":"","signature"'),
      'MESSAGE_MALFORMED',
    ],
    ['an unknown member that is added', go, first('"kind"', '"more":"x","kind"'), 'MESSAGE_MALFORMED'],
    ['a comma that is added at its end', go, first('}', ',}'), 'MESSAGE_MALFORMED'],
    ['its id to text that is not a ULID', go, first(/"id":"[^"]*"/, '"id":"x"'), 'MESSAGE_MALFORMED'],
    ['its id to a ULID of too many bits', go, first('"id":"0', '"id":"8'), 'MESSAGE_MALFORMED'],
    ['its hash to an unknown one', go, first('sha256', 'sha512'), 'MESSAGE_MALFORMED'],
    ['its timestamp to another format', go, first('T', ' T'), 'MESSAGE_MALFORMED'],
    ['its timestamp to an invalid date', go, first(/2026-\d\d-\d\dT/, '2026-99-99T'), 'MESSAGE_MALFORMED'],
    ['its timestamp to an invalid time', go, first(/T\d\d:\d\d:/, 'T99:99:'), 'MESSAGE_MALFORMED'],
    ['its timestamp to an invalid offset', go, first(/Z"/, '+99:99"'), 'MESSAGE_MALFORMED'],
    [
      'its timestamp to one without seconds',
      go,
      first(/(T\d\d:\d\d)[^"]*"/, 'T10:00Z"'),
      'MESSAGE_MALFORMED',
    ],
    ['its timestamp to a full minute', java, first(/(T\d\d:\d\d)[^"]*"/, 'T10:00Z"'), 'SIGNATURE_INVALID'],
    [
      'its timestamp to an invalid minute',
      java,
      first(/(T\d\d:\d\d)[^"]*"/, 'T10:99Z"'),
      'MESSAGE_MALFORMED',
    ],
    ['its host to 255 bytes', go, first('"vm"', `"${'h'.repeat(255)}"`), 'SIGNATURE_INVALID'],
    ['its host to 256 bytes', go, first('"vm"', `"${'é'.repeat(128)}"`), 'MESSAGE_MALFORMED'],
    ['its kind to 256 bytes', go, first('"src"', `"${'k'.repeat(256)}"`), 'MESSAGE_MALFORMED'],
    ['its kind to an empty text', java, first(/"kind":"[^"]*"/, '"kind":""'), 'MESSAGE_MALFORMED'],
    [
      'its tag to 1,025 bytes',
      go,
      first('"layer"', `"tag":"${'t'.repeat(1025)}","layer"`),
      'MESSAGE_MALFORMED',
    ],
    [
      'its layer to 256 bytes',
      go,
      first(/"layer":"[^"]*"/, `"layer":"${'l'.repeat(256)}"`),
      'MESSAGE_MALFORMED',
    ],
    ['its key to 65 digits', go, first(/"key":"[^"]*"/, `"key":"${'A'.repeat(65)}"`), 'MESSAGE_MALFORMED'],
    ['its answer to a text', go, first('"isSatisfied":true', '"isSatisfied":"true"'), 'MESSAGE_MALFORMED'],
    ['its answer to a number', go, first('"isSatisfied":true', '"isSatisfied":1'), 'MESSAGE_MALFORMED'],
    ['its answer to null', go, first('"isSatisfied":true', '"isSatisfied":null'), 'MESSAGE_MALFORMED'],
    ['its signature to upper case', go, upperSignature, 'MESSAGE_MALFORMED'],
    [
      'its signature to an empty text',
      go,
      first(/"signature":"[^"]*"/, '"signature":""'),
      'MESSAGE_MALFORMED',
    ],
    ['its signature to null', rust, first(/"signature":"[^"]*"/, '"signature":null'), 'MESSAGE_MALFORMED'],
    ['its signature, which is removed', go, first(/"signature":"[^"]*",/, ''), 'MESSAGE_MALFORMED'],
    ['its host to a lone surrogate', go, first('"host":"vm"', '"host":"\\ud800"'), 'MESSAGE_MALFORMED'],
    ['its host to an escape that JSON does not have', go, first('"vm"', '"v\\m"'), 'MESSAGE_MALFORMED'],
    ['its host to a text with a line end', go, first('"vm"', '"v\nm"'), 'MESSAGE_MALFORMED'],
  ])('changes only the verdict on that annotation: %s', async (_, message, alter, verdict) => {
    const honest = await verdicts(utf8(message), { keyring })
    expect(new Set(honest)).toEqual(new Set(['verified']))
    expect(honest.length).toBeGreaterThan(1)
    const altered = withList(message, alter)
    expect(await verdicts(altered, { keyring })).toEqual([verdict, ...honest.slice(1)])
  })

  it('causes an error that names the member, the expected value and the actual value', async () => {
    const { annotations } = await verifyClassic(withList(go, first('sha256', 'sha512')), { keyring })
    expect(annotations[0]).toMatchObject({
      status: 'rejected',
      reason: { message: 'hash: expected sha256, md5 or none, got "sha512"' },
    })
  })
})

describe('verifyClassic', () => {
  const envelope = JSON.parse(go)
  const wrapped = (changes: object) => utf8(JSON.stringify({ ...envelope, ...changes }))
  const content = (list: string | Uint8Array) =>
    wrapped({ content: base64(typeof list === 'string' ? utf8(list) : list) })
  const items = listOf(go).slice('{"items":['.length, -2)

  it.each<[string, Uint8Array, string]>([
    ['no bytes', new Uint8Array(), 'message: expected JSON'],
    ['not JSON', utf8('{'), 'message: expected JSON'],
    ['not UTF-8', Uint8Array.of(0xff), 'message: expected UTF-8'],
    [
      'a leading byte order mark',
      concat(Uint8Array.of(0xef, 0xbb, 0xbf), utf8(go)),
      'message: expected JSON',
    ],
    ['an array', utf8('[]'), 'message: expected an object of action, messageType and content'],
    ['null', utf8('null'), 'got null'],
    [
      'an unknown member',
      wrapped({ more: 1 }),
      'message: expected an object of action, messageType and content',
    ],
    ['a missing member', wrapped({ action: undefined }), 'got "content,messageType"'],
    ['a repeated member', utf8(go.replace('{', '{"action":"mutate",')), 'message: expected each member once'],
    [
      'an unknown action',
      wrapped({ action: 'delete' }),
      'action: expected create, mutate, transit or publish',
    ],
    ['a number for an action', wrapped({ action: 7 }), 'got a number'],
    [
      'an unknown type',
      wrapped({ messageType: 'AnnotationLists' }),
      'messageType: expected an AnnotationList',
    ],
    ['content that is not text', wrapped({ content: {} }), 'content: expected padded standard base64'],
    ['content that is not base64', wrapped({ content: 'e30=!' }), 'content: expected padded standard base64'],
    ['base64 without padding', wrapped({ content: 'e30' }), 'content: expected padded standard base64'],
    ['base64 with stray bits', wrapped({ content: 'e31=' }), 'content: expected padded standard base64'],
    ['base64 with white space', wrapped({ content: ' e30=' }), 'content: expected padded standard base64'],
    ['content that is not UTF-8', content(Uint8Array.of(0xff)), 'content: expected UTF-8'],
    ['empty content', content(''), 'content: expected a text that begins with {"items":['],
    ['a list of another form', content('{"items" : []}'), 'content: expected a text that begins'],
    ['a list that is null', content('{"items":null}'), 'content: expected a text that begins'],
    ['an unterminated list', content(`{"items":[${items}`), 'items: expected flat objects'],
    ['an unterminated annotation', content('{"items":[{"id":"01'), 'items: expected flat objects'],
    ['an unterminated text', content('{"items":[{"id":"01]}\\"'), 'items: expected flat objects'],
    ['a comma at the end of a list', content(`{"items":[${items},]}`), 'items: expected flat objects'],
    ['white space after the list', content(`{"items":[${items}]} `), 'items: expected flat objects'],
    ['an item that is not an object', content('{"items":[7]}'), 'items: expected flat objects'],
    [
      'a nested object in an annotation',
      content('{"items":[{"id":{"a":1},"key":""}]}'),
      'items: expected flat objects',
    ],
    ['Python’s form under Go’s type', content(listOf(python)), 'content: expected a text that begins'],
    [
      '257 annotations',
      content(`{"items":[${Array(257).fill('{}').join(',')}]}`),
      'items: expected at most 256',
    ],
    ['more than 2 MiB', new Uint8Array(2 * 1024 * 1024 + 1), 'message: expected at most 2097152 bytes'],
    ['2 MiB of opening brackets', new Uint8Array(2 * 1024 * 1024).fill(0x5b), 'got more'],
    ['2 MiB of objects', utf8(`[${'{},'.repeat(690_000)}1]`), 'got more'],
    ['2 MiB of numbers', utf8(`[${'1,'.repeat(1_000_000)}1]`), 'got more'],
    ['9,000 opening brackets', utf8('['.repeat(9_000)), 'message: expected JSON'],
    [
      '2 MiB of backslashes',
      content(`{"items":[{"${'\\'.repeat(1_500_000)}`),
      'items: expected flat objects',
    ],
  ])('reports a message that is not from another SDK as malformed: %s', async (_, message, text) => {
    const error = await failure(() => verifyClassic(message, { keyring }))
    expect(error.code).toBe('MESSAGE_MALFORMED')
    expect(error.message).toContain(text)
    expect(error.message.length).toBeLessThan(300)
  })

  it('refuses the message of a bundle with an error that names verifyMessage', async () => {
    const { create } = await genuineMessages()
    const { code, message } = await failure(() => verifyClassic(create, { keyring }))
    expect(code).toBe('MESSAGE_MALFORMED')
    expect(message).toContain('verifyMessage')
  })

  it('compares payloads as they were when the call was made, even if the caller overwrites them', async () => {
    const payload = caseOf('go', 'create-hello').payload.slice()
    const verifying = [verdicts(utf8(go), { keyring, payload })]
    payload.reverse()
    verifying.push(verdicts(utf8(go), { keyring, payload }))
    payload.reverse()
    const outcomes = (await Promise.all(verifying)).map((all) => [...new Set(all)])
    expect(outcomes).toEqual([['verified'], ['PAYLOAD_MISMATCH']])
  })

  it('throws a TypeError if a message or payload is not bytes', async () => {
    const wrong = 'x' as unknown as Uint8Array
    expect((await typeError(() => verifyClassic(wrong, { keyring }))).message).toContain('message')
    for (const argument of ['payload', 'previousPayload']) {
      const error = await typeError(() => verifyClassic(utf8(go), { keyring, [argument]: wrong }))
      expect(error.message).toContain(argument)
    }
  })
})

describe('an envelope that was parsed and written again', () => {
  it('verifies with other white space, order of members and escapes', async () => {
    const { action, messageType, content } = JSON.parse(go)
    const again = JSON.stringify({ content, messageType, action }, null, 2).replace('create', '\\u0063reate')
    const expected = await verifyClassic(utf8(go), { keyring })
    expect(await verifyClassic(utf8(again), { keyring })).toEqual(expected)
  })

  it('does not verify with the messageType of another dialect', async () => {
    const { messageType } = JSON.parse(java)
    const altered = utf8(go.replace('contracts.AnnotationList', messageType))
    expect(new Set(await verdicts(altered, { keyring }))).toEqual(new Set(['MESSAGE_MALFORMED']))
  })
})

describe('verifyClassic with many keys in its keyring', () => {
  /** Keys shared by all tests, because making them takes longer than searching them. */
  const made: Uint8Array[] = []
  const many = (count: number) => {
    while (made.length < count) made.push(generateKey().verifyingKey)
    return made.slice(0, count)
  }

  it('finds the signer of each annotation', async () => {
    const crowd = new Keyring([...many(20), vectorBytes('keys/go-public.key'), ...many(20)])
    expect(new Set(await verdicts(utf8(go), { keyring: crowd }))).toEqual(new Set(['verified']))
  })

  // claim: threats-23, format-37
  it("stops the search for a message's signers after 4,096 failed verifications", async () => {
    const item = listOf(go).match(/\{"id".*?\}/)?.[0] ?? ''
    const bad = item.replace('"vm"', '"vn"')
    const list = (items: string[]) => withList(go, () => `{"items":[${items.join(',')}]}`)
    const crowd = new Keyring([...many(1023), vectorBytes('keys/go-public.key')])
    const outcome = await verdicts(list([bad, item, bad, bad, bad, item]), { keyring: crowd })
    expect(outcome[1]).toBe('verified')
    expect(outcome.at(-1)).toBe('SIGNER_UNKNOWN')
    const few = await verdicts(list([bad, item, bad, bad, item]), { keyring: crowd })
    expect(few.at(-1)).toBe('verified')
  })

  // claim: format-38
  it('counts the failed verifications for all annotations of a message towards one limit', async () => {
    const item = listOf(go).match(/\{"id".*?\}/)?.[0] ?? ''
    const another = generateKey()
    const signature = signBytes(another.signingKey, utf8(item.replace(/,"signature":"[^"]*"/, '')))
    const other = item.replace(/"signature":"[^"]*"/, `"signature":"${toHex(signature)}"`)
    const list = (items: string[]) => withList(go, () => `{"items":[${items.join(',')}]}`)
    const crowd = new Keyring([...many(1022), vectorBytes('keys/go-public.key'), another.verifyingKey])
    const rows = await verdicts(list([...Array(9).fill(item), ...Array(9).fill(other)]), { keyring: crowd })
    expect(rows).toEqual(Array(18).fill('verified'))
    const byTurns = await verdicts(list([item, other, item, other, item, other]), { keyring: crowd })
    expect(byTurns).toEqual([...Array(5).fill('verified'), 'SIGNER_UNKNOWN'])
  })

  it('counts no failed verification for a search that it skips because of its cost', async () => {
    const crowd = new Keyring([...many(400), vectorBytes('keys/go-public.key')])
    const item = listOf(go).match(/\{"id".*?\}/)?.[0] ?? ''
    const long = item
      .replace('sha256', 'none')
      .replace(/"key":"[^"]*"/, `"key":"${'\\u0061'.repeat(65_536)}"`)
    const message = withList(go, () => `{"items":[${long},${item}]}`)
    expect(await verdicts(message, { keyring: crowd })).toEqual(['SIGNER_UNKNOWN', 'verified'])
  })

  // claim: threats-24
  it('tries fewer keys for long annotations, because the number of verified bytes is limited', async () => {
    const crowd = new Keyring(many(4000))
    const item = listOf(go).match(/\{"id".*?\}/)?.[0] ?? ''
    const long = item
      .replace('sha256', 'none')
      .replace(/"key":"[^"]*"/, `"key":"${'\\u0061'.repeat(65_536)}"`)
    const message = withList(go, () => `{"items":[${long},${long},${long}]}`)
    /** Measures three times, because one run may be interrupted. */
    const took = async (keyring: Keyring) => {
      const all: number[] = []
      for (let time = 0; time < 3; time++) {
        const begin = performance.now()
        expect(await verdicts(message, { keyring })).toEqual(Array(3).fill('SIGNER_UNKNOWN'))
        all.push(performance.now() - begin)
      }
      return all
    }
    const alone = await took(new Keyring(many(1)))
    // Trying 4,000 keys takes a hundred times as long as reading a message of this length.
    expect(Math.min(...(await took(crowd)))).toBeLessThan(30 * Math.max(...alone))
  })

  // claim: threats-25
  it('yields to the event loop during the search', async () => {
    const crowd = new Keyring(many(4000))
    const item = listOf(go).match(/\{"id".*?\}/)?.[0] ?? ''
    const message = withList(go, () => `{"items":[${item.replace('"vm"', '"vn"')}]}`)
    const turns = await countedTurns(10)
    expect(await verdicts(message, { keyring: crowd })).toEqual(['SIGNER_UNKNOWN'])
    turns.end()
    // The keys are tried in 63 pieces, of which two may share a turn.
    expect(turns.count).toBeGreaterThan(20)
  })

  it('finds a signer in a keyring that changes during the search', async () => {
    const crowd = new Keyring([...many(2000), vectorBytes('keys/go-public.key')])
    const outcome = verdicts(utf8(go), { keyring: crowd })
    for (const keyId of crowd.keyIds.slice(0, 1000)) crowd.delete(keyId)
    expect(new Set(await outcome)).toEqual(new Set(['verified']))
  })
})
