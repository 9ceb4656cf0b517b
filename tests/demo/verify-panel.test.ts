import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { type DemoPage, OPENING } from './page/page.js'
import { VerifyPanel } from './page/verify.js'
import { MAYBE_BOTH, visits } from './page/visits.js'

const cool = '{"temp_max":21}'
const hot = '{"temp_max":35}'
const hotter = '{"temp_max":36}'

/** The actions in the lineage of the story's payloads: each reading, and the service's result from it. */
const OPENED = Array.from({ length: OPENING / 3 }, () => ['create, transit', 'mutate'])

const marks = ({ page }: DemoPage) =>
  page.$$eval('.marks mark', (all) => all.map(({ textContent }) => textContent))

let broker: Awaited<ReturnType<typeof startBroker>>

beforeAll(async () => {
  broker = await startBroker()
})

afterAll(() => broker.close())

describe.each(MAYBE_BOTH)('the demo page in %s', (browser) => {
  const visit = visits(browser)
  let demo: DemoPage
  let panel: VerifyPanel

  beforeEach(async () => {
    demo = await visit({ mode: 'broker', broker: broker.url })
    panel = new VerifyPanel(demo)
    await demo.shows('.connection-text', 'Connected to broker')
  })

  it('names, for each altered field, the check that detects the alteration', async () => {
    await panel.make('Create', cool)
    await panel.pickNewest()
    await expect.poll(() => panel.marks()).toEqual(['passed', 'passed', 'passed', 'passed'])
    const unsound = ['failed', 'not reached', 'not reached', 'not reached']
    const strange = ['passed', 'cannot tell', 'not reached', 'not reached']
    const notSigned = ['passed', 'passed', 'failed', 'not reached']
    expect(await panel.flip('messageType', 'MESSAGE_MALFORMED')).toEqual(unsound)
    expect(await panel.flip('signer', 'SIGNER_UNKNOWN')).toEqual(strange)
    const ofBundle = ['action', 'signature', 'key', 'hash', 'host', 'layer', 'timestamp']
    const ofAnnotation = ['id', 'kind', 'tag', 'isSatisfied'].map((name) => `${name} of annotation 2`)
    for (const field of [...ofBundle, ...ofAnnotation]) {
      expect([field, await panel.flip(field, 'SIGNATURE_INVALID')]).toEqual([field, notSigned])
    }
    expect(await panel.flip('payload', 'PAYLOAD_MISMATCH')).toEqual(['passed', 'passed', 'passed', 'failed'])
  })

  it('names the check that detects an altered mutate', async () => {
    await panel.make('Create', cool)
    await panel.make('Mutate', hot)
    await panel.pickNewest()
    await panel.flip('previousKey', 'SIGNATURE_INVALID')
    await panel.flip('action', 'MESSAGE_MALFORMED')
  })

  it('marks the altered characters, and explains the first check that fails', async () => {
    await panel.make('Create', cool)
    await panel.pickNewest()
    await panel.alter('isSatisfied of annotation 1')
    await demo.shows('.verdict-words', 'an answer (isSatisfied) has changed')
    expect(await marks(demo)).toEqual(['false'])
    await demo.fill('timestamp', 'yesterday')
    await demo.shows('.verdict-words', 'This is not a valid message')
    expect(await demo.texts('.sdk-says code')).toEqual(['MESSAGE_MALFORMED'])
    expect(await demo.texts('.sdk-says')).toEqual([expect.stringContaining('timestamp: expected')])
    await demo.click('button', 'Undo timestamp')
    await demo.shows('.sdk-says code', 'SIGNATURE_INVALID')
  })

  it('reports that the live list has also rejected a message that the visitor has altered and sent', async () => {
    await panel.make('Create', cool)
    await panel.pickNewest()
    await panel.alter('host')
    await demo.click('button', 'Send it to the broker')
    await demo.tallies({ signed: 1, verified: 1, rejected: 1 })
    await demo.shows('.verdict', 'SIGNATURE_INVALID')
    await demo.shows('.tamper-actions', 'The live list has rejected it too: SIGNATURE_INVALID.')
  })

  it('shows a mutated payload with all of its sources', async () => {
    await panel.make('Create', cool)
    await panel.make('Mutate', hot)
    await panel.make('Mutate', hotter)
    await panel.make('Transit')
    await expect
      .poll(() => demo.texts('.node-actions'))
      .toEqual([...OPENED.flat(), 'create', 'mutate', 'mutate, transit'])
    const names = await demo.page.$$eval('.node .hit', (all) =>
      all.map((node) => node.getAttribute('aria-label')),
    )
    const [first = '', second = '', third = ''] = names.slice(-3).map(String)
    expect(first).toMatch(/^temp_max 21, payload \w{6}….*a source, create, /)
    expect(second).toMatch(/^temp_max 35, /)
    expect(third).toContain('made from temp_max 35')
    await demo.focus('.node:last-of-type .hit')
    await demo.page.waitForFunction(() => document.querySelectorAll('.edge.lit').length === 2)
    await demo.page.keyboard.press('Enter')
    await demo.shows('.said', 'transit')
  })

  it('scores payloads by weights that the visitor sets with sliders', async () => {
    await panel.make('Create', hot)
    await demo.shows('.payload-row b', '33 %')
    await demo.fill('Weight of src', '4', 'slider')
    // Two thirds are 66 %, because the page rounds down as the command does.
    await demo.shows('.payload-row b', '66 %')
    await demo.fill('Weight of tls', '0', 'slider')
    await demo.shows('.payload-row b', '80 %')
    await demo.shows('.history > p', 'newest 80 %')
    await demo.click('button', 'Reset weights')
    await demo.shows('.payload-row b', '33 %')
    await panel.make('Mutate', cool)
    await demo.shows('.payload-row .sources', 'lowest of its source: 33 %')
    await demo.page.waitForSelector('.chart canvas')
  })

  it('does not add new messages to the list of verdicts while the visitor reads it, but counts them on a button', async () => {
    await panel.make('Create', cool)
    await demo.focus('.verdicts')
    await demo.page.keyboard.press('Home')
    const [first] = await demo.texts('.verdict.picked')
    await panel.comesFromElsewhere('Create')
    await demo.shows('.verdict-state', 'Show 1 newer')
    expect((await demo.texts('.verdict'))[0]).toBe(first)
    await demo.click('button', 'Show 1 newer')
    await expect.poll(async () => (await demo.texts('.verdict'))[1]).toBe(first)
    await demo.page.keyboard.press('Home')
    await demo.page.keyboard.press('ArrowDown')
    expect(await demo.texts('.verdict.picked')).toEqual([first])
  })
})
