import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { serveDemo, Visitor } from './verify-support.js'

const cool = '{"temp_max":21}'
const hot = '{"temp_max":35}'
const hotter = '{"temp_max":36}'

let demo: Awaited<ReturnType<typeof serveDemo>>

beforeAll(async () => {
  demo = await serveDemo()
})

afterAll(() => demo.close())

describe.each(['chromium', 'firefox'] as const)('in %s, the demo page', (browser) => {
  let visitor: Visitor

  beforeEach(async () => {
    visitor = await Visitor.open(browser, demo.url)
  })

  afterEach(() => visitor.close())

  const marks = () => visitor.textsOf('.check-marks .mark-text')
  const code = () => visitor.textsOf('.sdk-says code')

  /** Flips a field, waits for the verdict, and brings the genuine one back. */
  async function flip(field: string, expected: string): Promise<string[]> {
    await visitor.press(`Flip ${field}`)
    await visitor.reads('.sdk-says code', expected)
    const found = await marks()
    await visitor.press('Undo', 'verify')
    await visitor.reads('.verdict-words', 'Genuine')
    return found
  }

  it('says of every field that was altered which check notices', async () => {
    await visitor.make('Create', cool)
    await visitor.pickNewest()
    expect(await marks()).toEqual(['passed', 'passed', 'passed', 'passed'])
    const unsound = ['failed', 'not reached', 'not reached', 'not reached']
    const strange = ['passed', 'failed', 'not reached', 'not reached']
    const notSigned = ['passed', 'passed', 'failed', 'not reached']
    expect(await flip('messageType', 'MESSAGE_MALFORMED')).toEqual(unsound)
    expect(await flip('signer', 'SIGNER_UNKNOWN')).toEqual(strange)
    const ofBundle = ['action', 'signature', 'key', 'hash', 'host', 'layer', 'timestamp']
    const ofAnnotation = ['id', 'kind', 'tag', 'isSatisfied'].map((name) => `${name} of annotation 2`)
    for (const field of [...ofBundle, ...ofAnnotation]) {
      expect([field, await flip(field, 'SIGNATURE_INVALID')]).toEqual([field, notSigned])
    }
    expect(await flip('payload', 'PAYLOAD_MISMATCH')).toEqual(['passed', 'passed', 'passed', 'failed'])
    expect(visitor.complaints).toEqual([])
  })

  it('says which check notices when a mutate is altered', async () => {
    await visitor.make('Create', cool)
    await visitor.make('Mutate', hot)
    await visitor.pickNewest()
    await flip('previousKey', 'SIGNATURE_INVALID')
    await flip('action', 'MESSAGE_MALFORMED')
  })

  it('marks the characters that were altered, and explains the first check that fails', async () => {
    await visitor.make('Create', cool)
    await visitor.pickNewest()
    await visitor.press('Flip isSatisfied of annotation 1')
    await visitor.reads('.verdict-words', 'isSatisfied is not as it was')
    expect(await visitor.textsOf('.message-bytes mark')).toEqual(['false'])
    await visitor.fill('timestamp', 'yesterday')
    await visitor.reads('.verdict-words', 'not a sound message')
    expect(await code()).toEqual(['MESSAGE_MALFORMED'])
    expect(await visitor.textsOf('.sdk-says')).toEqual([expect.stringContaining('timestamp: expected')])
    await visitor.press('Undo timestamp')
    await visitor.reads('.sdk-says code', 'SIGNATURE_INVALID')
  })

  it('has the live list reject an altered message that is sent', async () => {
    await visitor.make('Create', cool)
    await visitor.pickNewest()
    await visitor.press('Flip host')
    await visitor.press('Send it to the broker')
    await visitor.reads('.panel-verify .panel-aside', '1 rejected')
    await visitor.reads('.verdict', 'SIGNATURE_INVALID')
    await visitor.reads('.tamper-actions', 'The live list has rejected it too: SIGNATURE_INVALID.')
  })

  it('shows a mutated payload with all that it was made from', async () => {
    await visitor.make('Create', cool)
    expect(await visitor.textsOf('.panel-lineage .empty-title')).toEqual(['No chain yet'])
    await visitor.make('Mutate', hot)
    await visitor.make('Mutate', hotter)
    await visitor.make('Transit')
    await visitor.reads('.node:nth-of-type(3) .node-actions', 'mutate, transit')
    expect(await visitor.textsOf('.node-actions')).toEqual(['create', 'mutate', 'mutate, transit'])
    const names = await visitor.page.$$eval('.node .hit', (all) =>
      all.map((node) => node.getAttribute('aria-label')),
    )
    expect(names[0]).toContain('a source, create, ')
    expect(names[2]).toContain(`made from ${names[1]?.slice('Payload '.length, 'Payload '.length + 13)}`)
    await visitor.focus('.node:nth-of-type(3) .hit')
    await visitor.page.waitForFunction(() => document.querySelectorAll('.edge.lit').length === 2)
    await visitor.page.keyboard.press('Enter')
    await visitor.reads('.picked-message h3', 'transit')
    expect(visitor.complaints).toEqual([])
  })

  it('scores by weights that can be moved', async () => {
    await visitor.make('Create', hot)
    await visitor.reads('.payload-row b', '33 %')
    await visitor.fill('Weight of src', '4')
    await visitor.reads('.payload-row b', '67 %')
    await visitor.fill('Weight of tls', '0')
    await visitor.reads('.payload-row b', '80 %')
    await visitor.reads('.history > p', 'newest 80 %')
    await visitor.press('All alike')
    await visitor.reads('.payload-row b', '33 %')
    await visitor.make('Mutate', cool)
    await visitor.reads('.payload-row .sources', 'lowest of its source: 33 %')
    await visitor.page.waitForSelector('.chart canvas')
    expect(visitor.complaints).toEqual([])
  })

  it('keeps the list where it is while somebody reads it, and says that there is more', async () => {
    await visitor.make('Create', cool)
    await visitor.focus('.verdicts')
    await visitor.page.keyboard.press('Home')
    const [first] = await visitor.textsOf('.verdict.picked')
    await visitor.make('Create', hot)
    await visitor.reads('.verdict-state', 'Show 1 newer')
    expect(await visitor.textsOf('.verdict')).toEqual([first])
    await visitor.press('Show 1 newer')
    await visitor.page.waitForFunction(() => document.querySelectorAll('.verdict').length === 2)
    await visitor.page.keyboard.press('Home')
    await visitor.page.keyboard.press('ArrowDown')
    expect(await visitor.textsOf('.verdict.picked')).toEqual([first])
  })
})
