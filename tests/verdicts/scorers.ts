import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Annotator, generateKey, keyOf, memory, openSdk, toHex, verifyMessage } from 'alvarium-sdk'
import { verifyPack } from 'alvarium-sdk/packs'
import {
  BundleGraph,
  percentOf,
  readPolicy,
  type ScoringPolicyFile,
  scorePayload,
  scorePayloadInTurns,
  verdictBytes,
} from 'alvarium-sdk/score'
import { openStore } from 'alvarium-sdk/store'
import { serveStore } from 'alvarium-sdk/store/serve'
import type { Random } from '../attack/random.mjs'
import { alvarium, folder } from '../cli/command.js'
import { verdictsOf } from '../independent/python.js'
import { base64, textOf, utf8 } from '../support/bytes.js'
import { packed } from '../support/packs.js'
import { entriesOf } from '../support/zip.js'

/** All public functions and commands that yield a score, with the same evidence and policy. */

export const KINDS = ['src', 'tls', 'tpm', 'vulnerability', 'checksum']

export interface PayloadInFile {
  readonly name: { readonly key: string; readonly hash: 'sha256' }
  readonly file: string
}

export type Scorer = (asked: PayloadInFile) => Promise<unknown>

/** A command that prints a score: its output about a payload, and how that output writes a score. */
export interface Shower {
  readonly show: (asked: PayloadInFile) => Promise<string>
  readonly format: (score: number) => string
}

/** Makes messages of three hosts with random answers about payloads. Later payloads are made from earlier ones. */
export async function evidence(random: Random, count: number) {
  const payloads = Array.from({ length: count }, (_, at) => utf8(`reading ${at}`))
  const signers = ['edge-1', 'edge-2', 'edge-3'].map((host) => ({ host, ...generateKey() }))
  const stream = memory()
  for (const { host, signingKey } of signers) {
    const annotators = KINDS.map((kind): Annotator => ({ kind, isSatisfied: () => random.below(4) > 0 }))
    const sdk = await openSdk({ signingKey, host, annotators, stream })
    for (const [at, payload] of payloads.entries()) {
      const before = payloads[random.below(at)] ?? payload
      await (2 * at > count ? sdk.mutate(before, payload) : sdk.create(payload))
    }
    await sdk.close()
  }
  return { payloads, signers, messages: stream.messages }
}

type Evidence = Awaited<ReturnType<typeof evidence>>

async function filesOf({ payloads, signers, messages }: Evidence, policy: ScoringPolicyFile) {
  const at = await folder()
  const write = async (name: string, content: string | Uint8Array) => {
    await writeFile(join(at, name), content)
    return join(at, name)
  }
  const keys = signers.map(({ host, verifyingKey }) => write(`${host}.key`, toHex(verifyingKey)))
  const asked = payloads.map(async (bytes, place): Promise<PayloadInFile> => {
    return { name: { key: keyOf(bytes), hash: 'sha256' }, file: await write(`payload-${place}`, bytes) }
  })
  return {
    write,
    keys: (await Promise.all(keys)).flatMap((key) => ['--key', key]),
    messages: await write('messages.ndjson', messages.map((one) => `${textOf(one)}\n`).join('')),
    policy: await write('policy.json', JSON.stringify(policy)),
    asked: await Promise.all(asked),
  }
}

const outOf = async (...args: string[]) => (await alvarium(args)).out
const wholePercent = (score: number) => `${Math.floor(percentOf(score))} %`

/** Opens the scorers that follow the whole policy, a payload's inputs included. @param url - of a database */
export async function openScorers(given: Evidence, policy: ScoringPolicyFile, url: string) {
  const { signers, messages } = given
  const keyring = signers.map(({ verifyingKey }) => verifyingKey)
  const [read, files] = [readPolicy(policy), await filesOf(given, policy)]
  const bundles = await Promise.all(messages.map((message) => verifyMessage(message, { keyring })))
  const fabric = new BundleGraph()
  for (const bundle of bundles) fabric.add(bundle)
  const store = await openStore(url, { keyring, policy: read })
  await store.ingest(messages)
  const handler = serveStore(store)
  const stored = (file: string) => ['store', 'score', file, '--policy', files.policy, '--database', url]
  const packs = await packsOf(given, policy, files)
  const commands = commandsOf(files)
  const scorers: Record<string, Scorer> = {
    scorePayload: async ({ name }) => scorePayload(fabric.scoringInput(name), read).score,
    scorePayloadInTurns: async ({ name }) =>
      (await scorePayloadInTurns(fabric.scoringInput(name), read)).score,
    verdictBytes: async ({ name }) =>
      JSON.parse(textOf(verdictBytes(scorePayload(fabric.scoringInput(name), read)))).score,
    'Store.score': async ({ name }) => (await store.score(name)).score,
    'Store.why': async ({ name }) => (await store.why(name)).score,
    'GET /payload/score': async ({ name: { key } }) => {
      const response = await handler(new Request(`http://localhost/payload/score?key=${key}`))
      return JSON.parse(await response.text()).score
    },
    'store score --json': async ({ file }) => JSON.parse(await outOf(...stored(file), '--json')).score,
    ...packs.scorers,
    ...commands.scorers,
  }
  const showers: Record<string, Shower> = {
    'store score': {
      show: ({ file }) => outOf(...stored(file)),
      format: (score) => `${percentOf(score)} %`,
    },
    ...packs.showers,
    ...commands.showers,
  }
  return { scorers, showers, fabric, files, close: () => store.close() }
}

type PolicyScorers = Awaited<ReturnType<typeof openScorers>>

async function packsOf(
  { signers, messages }: Evidence,
  score: ScoringPolicyFile,
  { write, keys, asked }: Awaited<ReturnType<typeof filesOf>>,
) {
  const keyring = signers.map(({ verifyingKey }) => verifyingKey)
  const named = signers.map(({ host, verifyingKey }) => ({ name: host, keys: [toHex(verifyingKey)] }))
  const made = new Map<string, { readonly bytes: Uint8Array; readonly file: string }>()
  for (const { name } of asked) {
    const { bytes } = await packed(messages, { about: { payload: name }, trust: { signers: named }, score })
    made.set(name.key, { bytes, file: await write(`${name.key}.zip`, bytes) })
  }
  const all = [...made.values()].map(({ bytes }) => ({ pack: base64(bytes) }))
  const python = await verdictsOf(all, keyring.map(toHex))
  const packOf = ({ name: { key } }: PayloadInFile) => made.get(key) ?? { bytes: utf8(''), file: '' }
  const verified = (one: PayloadInFile) => verifyPack(packOf(one).bytes, { keyring })
  const scorers: Record<string, Scorer> = {
    'verdict.json': async (one) => {
      const part = entriesOf(packOf(one).bytes).find(({ name }) => name === 'verdict.json')
      return JSON.parse(textOf(part?.content ?? utf8('{}'))).score
    },
    'VerifiedPack.verdict': async (one) => (await verified(one)).verdict.score,
    'VerifiedPack.fabric': async (one) => {
      const { fabric, policy } = await verified(one)
      return scorePayload(fabric.scoringInput(one.name), policy).score
    },
    'pack verify --json': async (one) =>
      JSON.parse(await outOf('pack', 'verify', packOf(one).file, '--json', ...keys)).verdict.score,
    'packs.py': async (one) => {
      const verdict = Object(python[asked.indexOf(one)]).pack.verdict
      return JSON.parse(verdict).score
    },
  }
  const show = (one: PayloadInFile) => outOf('pack', 'verify', packOf(one).file, ...keys)
  const format = (score: number) => `score ${wholePercent(score)} by`
  return { scorers, showers: { 'pack verify': { show, format } } }
}

/** Returns the scorers that use only statements about the payload itself: the same score with `ancestors: 'own'`. */
export function scorersAlone({ fabric }: PolicyScorers, policy: ScoringPolicyFile): Record<string, Scorer> {
  return {
    'Why.own': async ({ name }) => scorePayload(fabric.scoringInput(name), readPolicy(policy)).why.own,
    'AncestorScore.score': async ({ name }) => {
      const { payload } = fabric.scoringInput(name)
      const nothing = { key: 'nothing', hash: 'none', statements: [] } as const
      const dossier = { payload: nothing, ancestors: [{ ...payload, depth: 1 }] }
      return scorePayload(dossier, readPolicy({ ...policy, ancestors: 'min' })).why.ancestors[0]?.score
    },
  }
}

function commandsOf({ messages, keys, policy }: Awaited<ReturnType<typeof filesOf>>) {
  const rules = [messages, ...keys, '--policy', policy]
  const scored = (...more: string[]) => outOf('score', ...rules, ...more)
  const lineage = async (file: string, ...more: string[]) =>
    firstOf(await outOf('lineage', file, ...rules, ...more))
  const scorers: Record<string, Scorer> = {
    'score --json': async (one) =>
      JSON.parse(firstOf(await scored('--json'), (line) => JSON.parse(line).key === one.name.key)).score,
    'lineage --json': async ({ file }) => JSON.parse(await lineage(file, '--json')).score,
  }
  const showers: Record<string, Shower> = {
    score: {
      show: async ({ name }) => firstOf(await scored(), (line) => line.includes(`  ${name.key}  `)),
      format: wholePercent,
    },
    lineage: { show: async ({ file }) => lineage(file), format: wholePercent },
  }
  return { scorers, showers }
}

function firstOf(out: string, isMeant: (line: string) => boolean = () => true): string {
  return out.trimEnd().split('\n').find(isMeant) ?? ''
}
