import { describe, expect, it, onTestFinished } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { startEmbedded } from '../brokers/embedded.js'
import { freePort } from '../brokers/ports.js'
import { DemoPage } from './page/page.js'
import { BROWSERS, itOfPage, MAYBE_BOTH, visits } from './page/visits.js'

/** Browsers' messages about an unreachable broker, which a page cannot suppress. */
const AWAY = /WebSocket|can.t establish a connection|was interrupted while the page was loading/

async function embedded() {
  const broker = await startEmbedded()
  onTestFinished(() => broker.stop())
  return broker
}

describe.each(BROWSERS)('the demo page with its broker, in %s', (browser) => {
  const visit = visits(browser)
  const ofPage = itOfPage(browser)

  ofPage(
    'reports a broker that ends, shows the waiting calls, and sends them when the broker restarts',
    async () => {
      const broker = await embedded()
      const demo = await visit({ mode: 'broker', broker: broker.url, expected: AWAY })
      await demo.click('button', 'Create')
      await demo.verifies(1)
      await demo.openHood()
      await broker.kill()
      await demo.shows('.connection', 'Broker not reachable')
      await demo.shows('.panel-queue', 'The broker is not reachable')
      for (let calls = 1; calls <= 3; calls++) {
        await demo.click('button', 'Create')
        await demo.shows('.queue-figures', new RegExp(`waiting\\s+${calls} of at most 1,000`))
        await demo.shows('.receipt', 'Signed, waiting for the broker.')
      }
      await broker.restart()
      await demo.shows('.panel-queue', 'All 3 calls that waited are out')
      await demo.shows('.connection', 'Connected to broker')
      await demo.verifies(4)
    },
  )

  ofPage(
    'queues the first call if the broker has not yet started, and sends it when the broker starts',
    async () => {
      const port = await freePort()
      const demo = await visit({ mode: 'broker', broker: `ws://127.0.0.1:${port}`, expected: AWAY })
      await demo.openHood()
      await demo.shows('.connection', 'Broker not reachable')
      await demo.click('button', 'Create')
      await demo.shows('.queue-figures', /waiting\s+1 of/)
      const broker = await startBroker({ port })
      onTestFinished(() => broker.close())
      await demo.shows('.panel-queue', 'The call that waited is out')
      await demo.tallies({ signed: 1, verified: 1, rejected: 0 })
    },
  )
})

describe.each(BROWSERS)('the demo page that is reloaded while calls wait, in %s', (browser) => {
  const visit = visits(browser)

  it('still has the waiting calls, shows them, and sends each once when the broker is back', async () => {
    const broker = await embedded()
    const demo = await visit({ mode: 'broker', broker: broker.url, expected: AWAY })
    await demo.shows('.connection', 'Connected to broker')
    await demo.openHood()
    await broker.kill()
    await demo.shows('.panel-queue', 'This browser keeps them')
    for (let calls = 1; calls <= 3; calls++) {
      await demo.click('button', 'Create')
      await demo.shows('.queue-figures', new RegExp(`waiting\\s+${calls} of at most 1,000`))
    }
    await demo.reload()
    await demo.openHood()
    await demo.shows('.queue-figures', /waiting\s+3 of at most 1,000/)
    await broker.restart()
    await demo.shows('.panel-queue', 'All 3 calls that waited are out')
    await demo.verifies(3)
    await demo.click('button', 'Create')
    await demo.tallies({ signed: 1, verified: 4, rejected: 0 })
  })

  it('reports in a second tab that its calls are lost when the tab is closed', async () => {
    const { page, url, problems } = await visit()
    const other = new DemoPage(await page.browserContext().newPage(), url, problems, ['error'])
    await other.open(1280)
    await other.openHood()
    await other.click('checkbox', 'Cut the connection')
    await other.click('button', 'Create')
    await other.shows('.panel-queue', 'They last as long as this page')
  })
})

describe.each(MAYBE_BOTH)('the demo page whose connection the visitor cuts, in %s', (browser) => {
  const visit = visits(browser)

  it('queues calls until the visitor restores the connection', async () => {
    const demo = await visit()
    await demo.openHood()
    await demo.click('checkbox', 'Cut the connection')
    await demo.shows('.connection', 'Connection cut')
    await demo.click('button', 'Create')
    await demo.shows('.queue-figures', /waiting\s+1 of/)
    expect(await demo.tally()).toEqual({ signed: 0, verified: 0, rejected: 0 })
    await demo.click('checkbox', 'Cut the connection')
    await demo.verifies(1)
    await demo.shows('.panel-queue', 'Nothing waits now')
  })

  it('fills its queue with at most 1,000 calls, and sends all of them after the connection is restored', async () => {
    const demo = await visit()
    await demo.fillQueue()
    await demo.shows('.queue-figures', '1,000 of at most 1,000')
    await demo.click('button', 'Stop sensor')
    await demo.click('checkbox', 'Cut the connection')
    await demo.shows('.panel-queue', 'All 1,000 calls that waited are out')
    await demo.tallies({ signed: 1000, verified: 1000, rejected: 0 })
  })
})
