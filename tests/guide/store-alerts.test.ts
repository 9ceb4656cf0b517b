// @slow: it installs Prometheus

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import { canInstall, ensure, find } from '../../js/build/debian.mjs'
import { metricsOfStore } from '../support/store-metrics.js'

const METRICS = fileURLToPath(new URL('../../examples/stack/metrics/', import.meta.url))

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: Record<string, string>
  readonly annotations: { readonly summary: string }
}

const rules: Rule[] = parse(readFileSync(join(METRICS, 'alerts.yaml'), 'utf8')).groups[0].rules

const TARGET = 'instance="api:8787",job="alvarium-store"'
const LABELS = { instance: 'api:8787', job: 'alvarium-store' }
const STATS = '{path="/stats",status="503"}'

/** The fault of each alert: replaced series of a healthy store, one value a minute, and the alert's labels then. */
const FAULTS: Readonly<Record<string, { series: Record<string, string>; labels?: Record<string, string> }>> =
  {
    StoreAway: {
      series: { alvarium_store_up: '0x90' },
      labels: { ...LABELS, __name__: 'alvarium_store_up' },
    },
    StoreReceivesNothing: { series: { alvarium_store_bundles_total: '4x90' }, labels: LABELS },
    IngestLate: {
      series: {
        alvarium_store_newest_received_seconds: '1000x90',
        alvarium_store_newest_signed_seconds: '600x90',
      },
      labels: LABELS,
    },
    QuarantineGrows: {
      series: { 'alvarium_store_quarantined_messages{code="SIGNER_UNKNOWN"}': '1+1x90' },
      labels: { ...LABELS, code: 'SIGNER_UNKNOWN' },
    },
    QuarantineFull: {
      series: { alvarium_store_quarantined_bytes: '60000000x90' },
      labels: { ...LABELS, __name__: 'alvarium_store_quarantined_bytes' },
    },
    CheckpointOld: {
      series: { alvarium_store_log_entries: '9x90', alvarium_store_checkpoint_time_seconds: '0x90' },
      labels: { ...LABELS, __name__: 'alvarium_store_log_entries' },
    },
    StoreFails: {
      series: { [`alvarium_store_requests_total${STATS}`]: '0+1x90' },
      labels: { path: '/stats', status: '503' },
    },
    StoreSlow: {
      series: {
        'alvarium_store_request_seconds_total{path="/stats"}': '0+120x90',
        'alvarium_store_requests_total{path="/stats",status="200"}': '0+60x90',
      },
      labels: { ...LABELS, path: '/stats' },
    },
    TokensGuessed: {
      series: { 'alvarium_store_requests_total{path="/stats",status="401"}': '0+20x90' },
      labels: {},
    },
  }

/** Returns the series of a healthy store, by name and labels: the served values, with bundles arriving. */
async function healthy(): Promise<Record<string, string>> {
  const text = await metricsOfStore()
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const series = Object.fromEntries(samples.map((line) => line.split(/ (?=[^ ]+$)/) as [string, string]))
  const constant = Object.fromEntries(Object.entries(series).map(([name, value]) => [name, `${value}x90`]))
  return { ...constant, alvarium_store_bundles_total: '4+1x90', up: '1x90' }
}

function seriesOf(values: Record<string, string>) {
  return Object.entries(values).map(([name, one]) => {
    const [metric = '', labels = ''] = name.split(/[{}]/)
    return { series: `${metric}{${[labels, TARGET].filter(Boolean).join(',')}}`, values: one }
  })
}

/** Returns the labels of an alert; Prometheus removes the name of the metric from them. */
function alertOf({ labels, annotations }: Rule, found: Record<string, string>) {
  const { __name__: _, ...rest } = found
  const summary = annotations.summary.replace(
    /\{\{ \$labels\.(\w+) \}\}/g,
    (_match, name) => rest[name] ?? '',
  )
  return { exp_labels: { ...rest, ...labels }, exp_annotations: { summary } }
}

beforeAll(() => {
  if (!find('promtool') && canInstall())
    ensure(['promtool'], ['prometheus'], 'The alerts are tried with Prometheus')
})

it('each alert on a store fires for its fault, and none fires for a healthy store', async ({ skip }) => {
  skip(!find('promtool'), 'Prometheus is not there, and cannot be installed')
  const folder = mkdtempSync(join(tmpdir(), 'alvarium-alerts-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(METRICS, folder, { recursive: true })
  const good = await healthy()
  expect(rules.map(({ alert }) => alert).sort()).toEqual(Object.keys(FAULTS).sort())
  const tests = rules.flatMap((rule) => {
    const { series, labels = {} } = FAULTS[rule.alert] as (typeof FAULTS)[string]
    const tried = (values: Record<string, string>, exp_alerts: readonly object[]) => ({
      interval: '1m',
      input_series: seriesOf(values),
      alert_rule_test: [{ eval_time: '80m', alertname: rule.alert, exp_alerts }],
    })
    return [tried(good, []), tried({ ...good, ...series }, [alertOf(rule, labels)])]
  })
  const file = join(folder, 'tests.yaml')
  writeFileSync(file, stringify({ rule_files: ['alerts.yaml'], evaluation_interval: '1m', tests }))
  expect(execFileSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })).toContain('SUCCESS')
  const config = join(folder, 'prometheus.yaml')
  expect(
    execFileSync('promtool', ['check', 'config', '--syntax-only', config], { encoding: 'utf8' }),
  ).toContain('SUCCESS')
})

it('promtool accepts the metrics that a store serves', async ({ skip }) => {
  skip(!find('promtool'), 'Prometheus is not there, and cannot be installed')
  const input = await metricsOfStore()
  expect(execFileSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })).toBe('')
})
