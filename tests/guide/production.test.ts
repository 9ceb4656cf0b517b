// @internal: the doctor names settings only to brokers that break a promise
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkBroker } from 'alvarium-command/doctor'
import { generateKey, memory, mqtt, openSdk, source, subscribe } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { settingsFor } from '../../dist/transport/doctor/settings.js'
import { startMosquitto as startExample } from '../../examples/broker/mosquitto.mjs'
import { prometheus } from '../../examples/metrics/prometheus.mjs'
import { startMosquitto } from '../brokers/mosquitto.js'
import { textOf, utf8 } from '../support/bytes.js'
import { yes } from '../support/sdk.js'
import { blocksOf } from './blocks.js'

const PAGE = 'examples/guide/production.md'
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const page = read(PAGE)
const codeOf = (mark: string) => blocksOf(PAGE).find((block) => block.mark === mark)?.code ?? ''
const sectionOf = (heading: string) => page.split(/^## /m).find((text) => text.startsWith(heading)) ?? ''
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found)

describe("the guide's page on production", () => {
  it('has one remedy for each error code, with a link to its explanation', () => {
    const [, union = ''] =
      /type ErrorCode =\n((?: {2}\| '\w+'\n)+)/.exec(read('js/foundation/base/errors.ts')) ?? []
    const rows = matches(sectionOf('At 3 a.m.'), /^\| (\[`\w+`\]\(\S+\)) \|/gm)
    const codes = matches(union, /'(\w+)'/g)
    expect(rows.sort()).toEqual(
      codes.map((code) => `[\`${code}\`](troubleshooting.md#${code.toLowerCase()})`).sort(),
    )
  })

  it('mentions only metrics and statistics that the SDK exports', () => {
    const figures = sectionOf('Watch these figures')
    const measured = ['figures', 'sdk', 'subscription'].map((name) => read(`js/sdk/opentelemetry/${name}.ts`))
    const metrics = matches(figures, /`(alvarium\.[\w.]+)`/g)
    expect(metrics.length).toBeGreaterThan(10)
    /** Latencies are in the code without the ending of their metrics. */
    const isMeasured = (name: string) => measured.some((text) => text.includes(`'${name}'`))
    const unknown = metrics.filter(
      (name) => !isMeasured(name) && !isMeasured(name.replace(/\.duration$/, '')),
    )
    expect(unknown).toEqual([])
    const types = [
      'js/sdk/config/stats.ts',
      'js/transport/streams/stats.ts',
      'js/foundation/base/time/latency.ts',
    ]
      .map(read)
      .join('')
    const members = matches(figures, /^\| (`[^|]+`) \|/gm).flatMap((cell) => matches(cell, /(\w+)`/g))
    expect(members.length).toBeGreaterThan(10)
    expect(members.filter((name) => !new RegExp(`readonly ${name}\\??:`).test(types))).toEqual([])
  })

  // claim: production-1
  it('has Prometheus alerts only on metrics that its example code exports', async () => {
    const store = await mkdtemp(join(tmpdir(), 'alvarium-production-'))
    onTestFinished(() => rm(store, { recursive: true, force: true }))
    const stream = outbox({ stream: memory(), store })
    const sdk = await openSdk({ signingKey: generateKey().signingKey, annotators: [source()], stream })
    const served = matches(prometheus(sdk.stats()), /^(alvarium_\w+?)(?:\{.*\})? /gm)
    await sdk.close()
    const [{ rules }] = (
      parse(codeOf('alerts')) as { groups: [{ rules: { alert: string; expr: string }[] }] }
    ).groups
    const watched = rules.flatMap(({ expr }) => matches(expr, /(alvarium_\w+)/g))
    expect(rules.length).toBeGreaterThan(10)
    expect(watched.filter((name) => !served.includes(name))).toEqual([])
  })

  it('states the real size of messages, rounded to hundreds of bytes', async () => {
    const [small, large] = /about (\d+) bytes, one with five about (\d+)\./.exec(page)?.slice(1) ?? []
    const kinds = ['tpm', 'tls', 'pki', 'in-range'].map(yes)
    expect(await sizeOf([source()])).toBeCloseTo(Number(small), -2)
    expect(await sizeOf([source(), ...kinds])).toBeCloseTo(Number(large), -2)
  })

  it('states outbox sizes that follow from its formula', () => {
    const rows = matches(sectionOf('Size the outbox'), /^\| ([\d,]+ \|.*) \|$/gm)
    expect(rows).toHaveLength(4)
    for (const row of rows) {
      const [rate = 0, ...needs] = row.split(' | ').slice(0, 4).map(quantity)
      const bytes = [3_600, 86_400, 3 * 86_400].map((seconds) => rate * seconds * (520 + 150))
      expect(needs.map((need, at) => need / (bytes[at] as number))).toEqual(
        needs.map(() => expect.closeTo(1, 1)),
      )
    }
  })
})

describe('the broker settings of the page on production', () => {
  it('make Mosquitto pass all tests of checkBroker that a client can run', async () => {
    const lines = await settingsOfMosquitto()
    const who = { username: 'doctor', password: 'of brokers' }
    const broker = await startMosquitto({ ...who, isDefault: true, config: lines })
    onTestFinished(broker.stop)
    const report = await checkBroker({ url: broker.tcpUrl, ...who })
    expect(report.failures).toEqual([])
    expect(report.promises.filter(({ holds }) => holds !== 'yes').map(({ name }) => name)).toEqual([
      'broker-killed', // no client can test it
    ])
  })

  it("make Mosquitto keep messages that arrive between its restart and the subscriber's return", async () => {
    const broker = await startExample({ isDefault: true, config: await settingsOfMosquitto() })
    onTestFinished(broker.stop)
    const subscriber = {
      url: broker.tcpUrl,
      username: 'archive-1',
      clientId: 'archive-1',
      topic: 'readings',
    }
    const { signingKey, verifyingKey } = generateKey()
    const before = subscribe({ ...subscriber, keyring: [verifyingKey] })
    await before.open()
    await before.close()
    await broker.terminate()
    await broker.start()
    const stream = mqtt({ url: broker.tcpUrl, username: 'gateway-1', topic: 'readings' })
    const sdk = await openSdk({ signingKey, annotators: [source()], stream })
    const { message } = await sdk.create(utf8('21.4'))
    await sdk.close()
    const after = subscribe({ ...subscriber, keyring: [verifyingKey] })
    onTestFinished(() => after.close())
    for await (const bundle of after) {
      expect(textOf(bundle.message)).toBe(textOf(message))
      break
    }
  })

  it.each(['Mosquitto', 'RabbitMQ'] as const)(
    'include for %s all settings that checkBroker advises',
    (name) => {
      const said = codeOf(name.toLowerCase()).split('\n')
      const promises = ['subscriber-killed', 'broker-killed', 'retained', 'large-message'] as const
      const lines = promises
        .flatMap((promise) => settingsFor(promise, { name }))
        .flatMap((settings) => settings.lines)
        // Skip Mosquitto's own defaults, and the interval of its saves, which is a choice.
        .filter((line) => !/^#|^retain_available|^autosave_interval/.test(line))
      expect(lines.length).toBeGreaterThan(3)
      expect(lines.filter((line) => !said.includes(line))).toEqual([])
    },
  )
})

/** Returns the settings of the page for files in a folder of the test, which has the rights of the page. */
async function settingsOfMosquitto(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-production-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'acl'), codeOf('acl'))
  return codeOf('mosquitto')
    .split('\n')
    .filter((line) => !/^(listener|certfile|keyfile|allow_anonymous|password_file) /.test(line))
    .map((line) => line.replace('/var/lib/mosquitto/', `${folder}/`).replace('/etc/mosquitto/', `${folder}/`))
}

async function sizeOf(annotators: readonly ReturnType<typeof source | typeof yes>[]): Promise<number> {
  const { signingKey } = generateKey()
  const sdk = await openSdk({ signingKey, annotators, stream: memory(), host: 'edge-7' })
  const { message } = await sdk.create(utf8('21.4'))
  await sdk.close()
  return message.length
}

/** Reads a quantity such as `1.7 GB` or `1,000`. */
function quantity(text: string): number {
  const [number = '', unit = ''] = text.replaceAll(',', '').split(' ')
  return Number(number) * ({ MB: 1e6, GB: 1e9 }[unit] ?? 1)
}
