import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DemoPage } from './page/page.js'
import { MAYBE_BOTH, visits } from './page/visits.js'

describe.each(MAYBE_BOTH)('the demo page, when it annotates in %s,', (browser) => {
  const visit = visits(browser)

  it('shows for each call a receipt, which opens the message and shows its payload', async () => {
    const demo = await visit()
    const before = await demo.page.$eval('.panel-lineage', (panel) => (panel as HTMLElement).offsetTop)
    await demo.fill('Payload as text', '{"sensor":"roof","celsius":31}')
    await demo.click('button', 'Create')
    await demo.shows(
      '.receipt',
      /✓ signed, accepted in \d.* (ms|µs|s), verified · payload roof, 31 °C \w{6}….* · 1 yes, 2 no/,
    )
    expect(await demo.page.$eval('.panel-lineage', (panel) => (panel as HTMLElement).offsetTop)).toBe(before)
    await demo.click('button', 'open in Verify')
    await demo.shows('.said', /create of roof, 31 °C .*signed by you/s)
    await demo.click('button', 'show in Lineage')
    // The payload has neither a source nor a result in the lineage.
    await demo.shows('.node.picked .node-name', 'roof, 31 °C')
    await demo.shows('.verdict.picked', /create\s+roof, 31 °C/)
  })

  it('creates, mutates, transmits and publishes a text', async () => {
    const demo = await visit()
    await demo.fill('Payload as text', '{"temp_max":10}')
    await demo.click('button', 'Create')
    await demo.verifies(1)
    await demo.fill('Payload as text', '{"temp_max":50}')
    await demo.click('button', 'Mutate')
    await demo.verifies(2)
    await demo.click('button', 'Transit')
    await demo.verifies(3)
    await demo.click('button', 'Publish')
    await demo.verifies(4)
    await demo.shows('.panel-verify', /publish.*transit.*mutate.*create/s)
  })

  it('links a mutation to its original payload', async () => {
    const demo = await visit()
    await demo.click('button', 'Create')
    await demo.verifies(1)
    await demo.openHood()
    await demo.shows('.panel-flow .fields', 'key')
    const key = await identityField(demo, 'key')
    await demo.fill('Payload as text', '{"temp_max":50}')
    await demo.click('button', 'Mutate')
    await demo.verifies(2)
    await expect.poll(() => identityField(demo, 'previous payload key')).toBe(key)
  })

  it('reads a file and signs it', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'alvarium-demo-file-'))
    onTestFinished(() => rm(dir, { recursive: true }))
    const path = join(dir, 'reading.bin')
    await writeFile(path, new Uint8Array(12_345).fill(7))
    const demo = await visit()
    await demo.click('radio', 'File')
    const input = await demo.page.waitForSelector('.drop input[type=file]')
    await input?.uploadFile(path)
    await demo.shows('.panel-make', 'reading.bin')
    await demo.click('button', 'Create')
    await demo.verifies(1)
    await demo.openHood()
    await demo.shows('.panel-flow', '12.3 kB')
  })

  it('signs sensor readings from a data set until the visitor stops the sensor', async () => {
    const demo = await visit()
    await demo.click('radio', 'Sensor')
    await demo.click('radio', '100/s')
    await demo.click('button', 'Start sensor')
    await demo.verifies(20)
    await demo.openHood()
    await demo.shows('.panel-flow', /"reading":\d+,"date"/)
    await demo.click('button', 'Stop sensor')
    await demo.find('button', 'Start sensor')
    await expect.poll(async () => settled(await demo.tally())).toBe(true)
  })

  it('calls only the selected annotators and the rule that the visitor has entered', async () => {
    const demo = await visit()
    await demo.click('checkbox', 'src')
    await demo.click('checkbox', 'tls')
    await demo.fill('Name', 'calm')
    await demo.fill('Field', 'wind', 'combobox')
    await demo.fill('Value', '2')
    await demo.click('button', 'Create')
    await demo.verifies(1)
    await demo.openHood()
    // The count appears a frame before the Flow panel.
    await demo.shows('.asked', 'calm')
    const answers = await demo.page.$$eval('.asked li .answer', (all) => all.map((one) => one.textContent))
    expect(answers).toEqual(['✗ calm not satisfied'])
  })

  it('has a pki annotator that accepts only a payload that the page has signed', async () => {
    const demo = await visit()
    await demo.click('checkbox', 'pki')
    await demo.click('button', 'Create')
    await demo.verifies(1)
    await demo.openHood()
    await demo.shows('.asked', /✗\s*pki/)
    await demo.click('button', 'Use a payload already signed')
    await demo.click('button', 'Create')
    await demo.verifies(2)
    await demo.shows('.asked', /✓\s*pki/)
  })
})

/** Returns a field of the identity bytes in the Flow panel; undefined if they have none of that name. */
async function identityField({ page }: DemoPage, name: string): Promise<string | undefined> {
  const rows = await page.$$eval('.fields tbody tr', (all) =>
    all.map((row) => [row.querySelector('th')?.textContent, row.querySelector('code')?.textContent ?? '']),
  )
  return rows.find(([field]) => field === name)?.[1]
}

/** Returns whether all signed messages were verified, and no others arrived. */
function settled({ signed, verified, rejected }: Awaited<ReturnType<DemoPage['tally']>>): boolean {
  return signed === verified && rejected === 0
}
