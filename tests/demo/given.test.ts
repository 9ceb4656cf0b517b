import { readFileSync } from 'node:fs'
import { cbor, toHex } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { fileKind, kindOf } from '../../examples/demo/given-kind.js'
import { marked, pointedAt } from '../../examples/demo/panels/verify/marked.js'
import { membersOf } from '../../examples/demo/panels/verify/members.js'
import { memberAt, rangeOf } from '../../examples/demo/panels/verify/pointed.js'
import { payloadNameIn } from '../../examples/demo/ui/payload-name.js'
import { textOf, utf8 } from '../support/bytes.js'
import { genuineMessages } from '../support/messages.js'
import { key } from '../support/sdk.js'
import { policyOf } from '../support/trust.js'
import { classicCases, golden, goldenLeases, goldenSets } from '../support/vectors.js'
import { VerifyPanel } from './page/verify.js'
import { longVisit, visits } from './page/visits.js'

const { create } = await genuineMessages()
const JSON_WEB_TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF_-'
const PICTURE = readFileSync(new URL('../../examples/demo/public/share.png', import.meta.url))

const { cases } = goldenSets()
const set = cases.find(({ payloads }) => payloads.length > 1)
const proof = set?.proofs.find(({ says }) => says === 'member')
const [lease] = goldenLeases().cases
const pack = readFileSync(new URL('../vectors/pack-1.zip', import.meta.url))

describe('a text or file that a visitor opens in the demo page', () => {
  it.each([
    ['a bundle', textOf(create), 'message'],
    ['a bundle in CBOR', toHex(cbor().encode(create)), 'message'],
    ['a part of a bundle', textOf(create).slice(0, 60), 'message'],
    ['a message of another SDK', classicCases('go')[0]?.message ?? '', 'message'],
    ['a set', set?.message ?? '', 'set'],
    ['a proof', proof?.proof ?? '', 'proof'],
    ['a lease', lease?.message ?? '', 'lease'],
    ['a trust policy', JSON.stringify(policyOf()), 'policy'],
    ['a trust policy in YAML', 'signers:\n  - name: one\n', 'policy'],
    ['a public key', golden().publicKey, 'key'],
    ['a private key', toHex(key.signingKey), 'other'],
    ['a JSON Web Token', JSON_WEB_TOKEN, 'other'],
    ['JSON of another kind', '{"celsius":21}', 'other'],
    ['a text', 'hello world', 'other'],
    ['nothing', ' \n', 'nothing'],
  ])('is classified by its text: %s', (_, text, is) => {
    expect(kindOf(text).is).toBe(is)
  })

  it('is classified by its magic bytes if its format has them', () => {
    expect(fileKind(pack)).toEqual({ is: 'pack' })
    expect(fileKind(PICTURE)).toEqual({ is: 'other', noun: 'a picture' })
    expect(fileKind(create)).toBeUndefined()
  })
})

describe('a payload in the demo page', () => {
  it.each([
    ['{"sensor":"hall-2","at":"now","celsius":27.2,"alarm":true}', 'hall-2, 27.2 °C, alarm'],
    ['{"temp_max":21}', 'temp_max 21'],
    ['{"constructor":1}', 'constructor 1'],
    ['[1]', undefined],
    ['no JSON', undefined],
  ])('has a readable name if its content suggests one: %s', (text, name) => {
    expect(payloadNameIn(utf8(text))).toBe(name)
  })
})

describe('the position of a field in the text of a message', () => {
  it.each(['go', 'python'] as const)("is found also inside the base64 of a %s SDK's message", (dialect) => {
    const message = classicCases(dialect)[0]?.message ?? ''
    const members = membersOf(message)
    for (const member of members) {
      const { from, to } = rangeOf(member)
      expect(memberAt(members, Math.floor((from + to) / 2))).toBe(member)
      const pieces = pointedAt(marked(message, message), { from, to })
      expect(pieces.map(({ text }) => text).join('')).toBe(message)
      expect(pieces.filter(({ isPointedAt }) => isPointedAt).map(({ text }) => text)).toEqual([
        message.slice(from, to),
      ])
    }
  })
})

describe('the drop area of the demo page', () => {
  const visit = longVisit('chromium', {})
  const give = (given: Uint8Array | string, name?: string) => visit().give('File to look at', given, name)

  it.each([
    ['token.txt', JSON_WEB_TOKEN, 'token.txt is a JSON Web Token'],
    ['notes.txt', 'hello world', 'notes.txt is text'],
    ['photo.png', PICTURE, 'photo.png is a picture'],
  ])('offers samples instead of a verdict for %s', async (name, given, words) => {
    if ((await visit().text('#message-title')) !== 'Message') await visit().click('button', 'Clear', 'verify')
    await give(given, name)
    await visit().shows('.offered', `Not an Alvarium message. ${words}. Try one of these:`)
    await visit().shows('.verdict-words', 'Nothing to check.')
    expect(await visit().texts('.offered button')).toHaveLength(3)
    expect(await visit().text('#verify')).not.toContain('expected')
    await visit().click('button', 'Try: Bundle')
    await visit().shows('.verdict-words', 'Genuine')
    expect(await visit().page.$$('.offered')).toEqual([])
  })

  it('keeps the current message when the visitor drops a file that is not a message', async () => {
    await new VerifyPanel(visit()).openSample('Bundle')
    await give(JSON_WEB_TOKEN, 'token.txt')
    await visit().shows('.offered', 'token.txt is a JSON Web Token. Below is still Bundle sample.')
    await visit().shows('.verdict-words', 'Genuine')
    await visit().shows('#message-title', 'Bundle sample')
  })

  it('shows a second message as a new one, without comparing it with the first', async () => {
    await new VerifyPanel(visit()).openSample('Bundle')
    await visit().fill('Message', textOf(create))
    await visit().shows('#message-title', 'Your message')
    await visit().shows('.verdict-headline', 'Cannot tell yet')
    expect(await visit().text('#verify')).not.toContain('has changed')
  })

  it('reports a text that is not a message, and shows no checks for it', async () => {
    await visit().click('button', 'Clear', 'verify')
    await visit().fill('Message', JSON_WEB_TOKEN)
    await visit().shows('.verdict-headline', 'Not an Alvarium message')
    expect(await visit().page.$$('.sdk-says, .check-marks')).toEqual([])
  })

  it('requires a confirmation before it trusts a key or a policy', async () => {
    await visit().click('button', 'Clear', 'verify')
    await give(textOf(create))
    await visit().shows('.verdict-headline', 'Cannot tell yet')
    await give(toHex(key.verifyingKey), 'public.key')
    await visit().shows('.offered', 'Trust this key?')
    await visit().shows('.verdict-headline', 'Cannot tell yet')
    await visit().click('button', 'Trust this key')
    await visit().shows('.verdict-headline', 'Genuine')
    await give(JSON.stringify(policyOf({ hosts: ['edge-8'] })), 'trust.json')
    await visit().shows('.offered', 'Trust by this policy?')
    await visit().click('button', 'Trust by this policy')
    await visit().shows('.verdict-headline', 'Not permitted')
  })

  it('opens a sealed set, and then a proof of a payload in the set', async () => {
    await visit().click('button', 'Clear', 'verify')
    await visit().fill('Public keys to trust, or a trust policy', golden().publicKey)
    await give(set?.message ?? '', 'set.json')
    await visit().shows('.verdict-words', /Genuine.*A sealed set of 2 payload keys/s)
    await give(proof?.proof ?? '', 'proof.json')
    await visit().shows('.verdict-words .needs', 'the payload that it is about')
    await visit().give('Payload as a file', proof?.payload ?? '')
    await visit().shows('.verdict-words', 'This payload is in the set “two”.')
    await visit().give('Payload as a file', 'another payload')
    await visit().shows('.verdict-words', 'Not proven')
  })

  it('opens an evidence pack, and verifies it again with each key that is added', async () => {
    await visit().click('button', 'Clear', 'verify')
    await give(pack, 'evidence.zip')
    await visit().shows('.verdict-words', /Cannot tell yet.*It needs the public keys.*6 of 6 messages/s)
    await visit().fill('The sender’s public key', golden().publicKey)
    await visit().shows('.verdict-words', /Genuine.*verified by your own policy/s)
  })

  it('offers a sample with a policy that allows its message, and one with a policy that revokes its signer', async () => {
    await visit().page.select('select[aria-label="Sample"]', 'Policy that allows it')
    await visit().shows('.verdict-words', /Genuine.*Its signer may say this/s)
    await visit().page.select('select[aria-label="Sample"]', 'Policy that revokes its signer')
    await visit().shows('.verdict-words', /Not permitted.*revoked/s)
  })
})

describe('a message in the demo page', () => {
  const visit = visits('chromium')

  it('can be altered by a tap, is then shown as altered, and verifies when the change is undone', async () => {
    const demo = await visit()
    const panel = new VerifyPanel(demo)
    await panel.openSample('Bundle')
    await panel.tap('edge-7')
    await demo.shows('.field-bar', /host edge-7.*Change to edge-6/s)
    await demo.click('button', 'Change to edge-6')
    await demo.shows('.verdict-words', /Altered.*host has changed/s)
    expect(await demo.texts('.marks mark')).toEqual(['6'])
    await demo.click('button', 'Change back to edge-7')
    await demo.shows('.verdict-words', 'Genuine')
  })

  it('gets no link to share and no code to copy while the field for public keys contains a private key', async () => {
    const demo = await visit()
    await new VerifyPanel(demo).openSample('Bundle')
    expect(await demo.text('#verify')).toContain('Copy link')
    await demo.fill('Public keys to trust, or a trust policy', toHex(key.signingKey))
    await demo.shows('.verdict-words', 'This is a private key. Remove it')
    expect(await demo.text('#verify')).not.toContain('Copy link')
  })

  it('of the Go SDK has the verdict "Genuine annotations", because its action is not signed', async () => {
    const demo = await visit()
    const panel = new VerifyPanel(demo)
    await panel.openSample('Go SDK')
    await demo.shows('.verdict-headline', 'Genuine annotations')
    await panel.alter('action')
    await demo.shows('.verdict-words', 'No signature covers what you have changed.')
  })

  it('can be created, verified, altered and restored with only the keyboard', async () => {
    const demo = await visit()
    const { keyboard } = demo.page
    const tabTo = async (name: string) => {
      const isThere = () =>
        demo.page.evaluate((wanted) => {
          const { ariaLabel, textContent } = document.activeElement as HTMLElement
          return [ariaLabel, textContent?.trim()].includes(wanted)
        }, name)
      for (let presses = 0; presses < 90 && !(await isThere()); presses++) await keyboard.press('Tab')
      expect([name, await isThere()]).toEqual([name, true])
    }
    await tabTo('Create')
    await keyboard.press('Enter')
    await demo.shows('.receipt', 'verified ·')
    const focused = () => demo.page.evaluate(() => document.activeElement?.id)
    await tabTo('open in Verify')
    await keyboard.press('Enter')
    await demo.shows('.verdict-words', 'Genuine')
    expect(await focused()).toBe('message-title')
    await keyboard.press('Tab')
    await tabTo('Message')
    await keyboard.down('Control')
    await keyboard.press('Home')
    await keyboard.up('Control')
    await demo.shows('.field-bar', 'action create')
    await tabTo('Change to transit')
    await keyboard.press('Enter')
    await demo.shows('.verdict-words', 'Altered')
    await tabTo('Undo')
    await keyboard.press('Enter')
    await demo.shows('.verdict-words', 'Genuine')
    expect(await focused()).toBe('message-title')
  })
})

/** Elements that an alteration must not move. */
const BELOW = '.story-foot, .panel, .trust, .share, .verdict-side, .hood'

/** Returns the distance of each element from the page's top when no element sticks to an edge; runs in the page. */
function placesOf(all: Element[]): number[] {
  scrollTo({ top: 0, behavior: 'instant' })
  return all.map((one) => one.getBoundingClientRect().top)
}

/** Returns the distances of moved elements; the browser's rounding explains parts of a pixel. */
function distances(before: readonly number[], now: readonly number[]): number[] {
  return now.map((place, at) => place - (before[at] ?? 0)).filter((distance) => Math.abs(distance) > 1)
}

describe.each([1280, 390, 320])('the demo page at %i px', (width) => {
  const visit = visits('chromium')

  it('shifts no element when a message is altered, and never scrolls horizontally', async () => {
    const demo = await visit({ width })
    const panel = new VerifyPanel(demo)
    const places = () => demo.page.$$eval(BELOW, placesOf)
    await panel.openFields()
    const before = await places()
    for (const lie of ['the reading', 'an answer', 'the signer']) {
      await demo.click('radio', lie)
      await demo.tamper()
      await demo.shows('.tampering-verdict', '✗')
      expect([lie, distances(before, await places())]).toEqual([lie, []])
    }
    await demo.click('button', 'Undo', 'story')
    for (const field of ['isSatisfied of annotation 1', 'signer', 'messageType', 'payload']) {
      await panel.alter(field)
      await demo.shows('.sdk-says', /./)
      expect([field, distances(before, await places())]).toEqual([field, []])
      await demo.click('button', 'Undo', 'verify')
      await demo.shows('.verdict-words', 'Genuine')
    }
    expect(await demo.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    const links = await demo.page.$$eval('a', (all) => all.map(({ href }) => href))
    expect(links.filter((link) => link.includes('.invalid'))).toEqual([])
  })
})
