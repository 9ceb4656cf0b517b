import { VERSION } from '../../foundation/base/version.js'
import { ACTIONS, HASHES } from '../../foundation/model/bundle.js'
import { OUTCOMES } from '../../foundation/model/outcome.js'
import type { Parameters } from './parameters.js'
import { QUESTIONS, type Question } from './questions.js'

const STRING = { type: 'string' }
const COUNT = { type: 'integer', minimum: 0 }
const MS = { type: 'integer', description: 'Milliseconds since 1970.' }
const HASH = { type: 'string', enum: HASHES }

/** Returns the schema of an object. A property name that ends with a question mark is optional. */
function object(members: Readonly<Record<string, object>>): object {
  const names = Object.keys(members)
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), members[name]])),
    required: names.filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  }
}

const list = (items: object) => ({ type: 'array', items })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** Properties that identify a run (the lifetime of an SDK). `keyId` is the key that signs the run's checkpoints. */
const RUN = { keyId: STRING, run: STRING }
const GAP = { ...RUN, first: COUNT, last: COUNT, since: STRING, until: STRING }

const TRUST = {
  'trust?': object({ 'policy?': STRING, refused: { type: 'object', additionalProperties: COUNT } }),
}
const TIME = { type: 'string', format: 'date-time' }
const VERDICT = { outcome: { type: 'string', enum: Object.keys(OUTCOMES) }, says: STRING, 'needs?': STRING }

const SCHEMAS = {
  PayloadName: object({ key: STRING, hash: HASH }),
  Payload: object({
    key: STRING,
    hash: HASH,
    bundles: COUNT,
    pruned: COUNT,
    'forgottenAt?': MS,
    answers: list(object({ kind: STRING, yes: COUNT, no: COUNT })),
    signers: list(object({ signer: STRING, bundles: COUNT })),
    hosts: list(object({ host: STRING, bundles: COUNT })),
    madeFrom: list(ref('PayloadName')),
    madeFromSets: list(STRING),
    madeInto: list(ref('PayloadName')),
    ...TRUST,
  }),
  Verdict: object({
    version: COUNT,
    key: STRING,
    hash: HASH,
    policy: STRING,
    'log?': { type: 'object' },
    ...TRUST,
    score: {
      description: 'At most four decimals, rounded down; or unknown, which is never good enough.',
      oneOf: [{ type: 'number', minimum: 0, maximum: 1 }, { const: 'unknown' }],
    },
    why: { type: 'object', description: 'As alvarium-sdk/score has it.' },
  }),
  Bundle: object({
    seq: COUNT,
    id: STRING,
    'action?': { type: 'string', enum: ACTIONS },
    signer: STRING,
    'signedBy?': STRING,
    key: STRING,
    hash: HASH,
    'previousKey?': STRING,
    host: STRING,
    layer: STRING,
    'inputCount?': COUNT,
    timestamp: STRING,
    'receivedAt?': MS,
    annotations: list(object({ kind: STRING, tag: STRING, isSatisfied: { type: 'boolean' } })),
    'trusted?': object({ ...VERDICT, 'code?': STRING, 'signedBy?': STRING }),
  }),
  Page: object({ bundles: list(ref('Bundle')), 'next?': STRING, ...TRUST }),
  Lineage: object({
    payloads: list(
      object({
        key: STRING,
        hash: HASH,
        depth: COUNT,
        madeFrom: list(COUNT),
        'madeFromSets?': list(STRING),
        'pruned?': COUNT,
        'forgottenAt?': MS,
      }),
    ),
    isWhole: { type: 'boolean' },
  }),
  Messages: object({
    messages: list(object({ message: { type: 'string', contentEncoding: 'base64' }, 'receivedAt?': MS })),
    isWhole: { type: 'boolean' },
  }),
  Answers: object({
    hours: list(object({ hour: TIME, host: STRING, kind: STRING, yes: COUNT, no: COUNT })),
    isWhole: { type: 'boolean' },
  }),
  Signers: object({
    signers: list(
      object({
        signer: STRING,
        'signedBy?': STRING,
        host: STRING,
        seq: COUNT,
        timestamp: STRING,
        'receivedAt?': MS,
      }),
    ),
  }),
  Missing: object({
    signers: list(
      object({
        signer: STRING,
        'name?': STRING,
        verdict: { type: 'string', enum: ['complete', 'unknown', 'incomplete'] },
        ...VERDICT,
        messages: COUNT,
        runs: list(
          object({
            ...RUN,
            size: COUNT,
            before: COUNT,
            checkpoints: COUNT,
            since: STRING,
            until: STRING,
            hasEnded: { type: 'boolean' },
          }),
        ),
        missing: list(object({ ...GAP, bundles: COUNT })),
        gaps: list(object(GAP)),
        missingInGaps: COUNT,
        forks: list(object({ ...RUN, size: COUNT })),
        unlisted: list(object({ id: STRING, timestamp: STRING })),
        refused: COUNT,
        pending: COUNT,
        unknown: COUNT,
        prunedOrMissing: COUNT,
        isWhole: { type: 'boolean' },
      }),
    ),
    'next?': STRING,
  }),
  Stats: object({
    bundles: COUNT,
    pruned: COUNT,
    messages: COUNT,
    payloads: COUNT,
    quarantinedBytes: COUNT,
    entries: COUNT,
    'checkpoint?': object({ size: COUNT, madeAt: MS }),
    'newest?': object({ 'signedAt?': MS, 'receivedAt?': MS }),
    quarantined: list(object({ code: STRING, messages: COUNT })),
  }),
  Problem: object({ title: STRING, status: COUNT, detail: STRING, 'code?': STRING }),
} as const

const METRICS = {
  operationId: 'metrics',
  summary: 'How much there is, and how often this server was asked, for Prometheus',
  responses: {
    200: {
      description: "Prometheus' text format, version 0.0.4",
      content: { 'text/plain': { schema: STRING } },
    },
  },
}

/** Returns the API's description in OpenAPI 3.1. @param path - the API's path in the server */
export function documentAt(path: string, needsToken: boolean): object {
  const questions = Object.entries(QUESTIONS).map(([at, question]) => [
    at,
    { get: operationOf(at, question) },
  ])
  const paths = [...questions, ['/metrics', { get: METRICS }]]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Alvarium store',
      version: VERSION,
      description: 'What was verified about payloads. It only reads.',
    },
    servers: [{ url: path || '/' }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: SCHEMAS,
      ...(needsToken && { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } }),
    },
    ...(needsToken && { security: [{ token: [] }] }),
  }
}

function operationOf(path: string, { summary, parameters, answer }: Question): object {
  return {
    operationId: path.slice(1).replace('/', '-'),
    summary,
    parameters: Object.entries(parameters).map(([name, parameter]) => ({ name, in: 'query', ...parameter })),
    responses: {
      200: { description: 'The answer', content: { 'application/json': { schema: ref(answer) } } },
      default: {
        description: 'What is wrong, RFC 9457',
        content: { 'application/problem+json': { schema: ref('Problem') } },
      },
    },
  }
}

/** CSS of the documentation page. The page has only constant texts, and nothing from the store. */
const STYLE = `:root{color-scheme:light dark}body{max-width:52rem;margin:2rem auto;padding:0 1rem;font:15px/1.55 system-ui,sans-serif}
h2{margin:2rem 0 0;font-size:1rem}code,pre{font:13px/1.5 ui-monospace,monospace}p{margin:.25rem 0}
table{width:100%;border-collapse:collapse}td{padding:.25rem .75rem .25rem 0;vertical-align:top;border-bottom:1px solid #8884}`

/** Returns the content security policy of the page, which allows only the style with this SHA-256, in base64. */
export const policyOf = (digest: string) =>
  `default-src 'none'; style-src 'sha256-${digest}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

export const STYLE_BYTES = new TextEncoder().encode(STYLE)

/** Returns the API's documentation page as HTML. @param path - the API's path in the server */
export function docsPage(path: string, needsToken: boolean): string {
  const sections = Object.entries(QUESTIONS).map(
    ([at, { summary, parameters, answer }]) =>
      `<h2><code>GET ${escapeHtml(path + at)}</code></h2><p>${escapeHtml(summary)}. Answers with <code>${answer}</code>.</p>${table(parameters)}`,
  )
  const token = needsToken ? ' Send <code>Authorization: Bearer</code> and the token.' : ''
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Alvarium store: API</title><style>${STYLE}</style>
<h1>Alvarium store</h1><p>It only reads.${token} <a href="${escapeHtml(path)}/openapi.json">openapi.json</a> has the schemas (OpenAPI 3.1). Errors are <code>application/problem+json</code>, with a <code>code</code>.</p>
${sections.join('\n')}</html>`
}

function table(parameters: Parameters): string {
  const rows = Object.entries(parameters).map(([name, { description, required, schema }]) => {
    const { type, format, enum: words, minimum, maximum, default: fallback } = schema
    const range = maximum === undefined ? (format ?? type) : `${minimum} to ${maximum}`
    const rest = required ? 'required' : fallback === undefined ? '' : `default ${fallback}`
    const cells = [
      `<code>${name}</code>`,
      escapeHtml(words?.join(', ') ?? range),
      rest,
      escapeHtml(description),
    ]
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
  })
  return rows.length > 0 ? `<table>${rows.join('')}</table>` : ''
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)
}
