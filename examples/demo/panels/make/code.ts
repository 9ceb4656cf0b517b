/** Writes the page's last call as code to paste, with a new key. */
import type { Action } from 'alvarium-sdk'
import type { Asked } from '../../protocol.ts'
import type { Rule } from '../../rule.ts'
import { quoted } from '../../ui/code.ts'

export interface Made {
  readonly action: Action
  readonly asked: Asked
  /** Text of the payload, or the name of a file that contains it. */
  readonly payload: { readonly text: string } | { readonly file: string }
  /** URL of the broker; undefined for a program that prints its messages. */
  readonly broker?: string
}

/** Returns a program that makes the page's last call. */
export function callAsCode({ action, asked, payload, broker }: Made): string {
  const stream = broker === undefined ? 'consoleStream' : 'mqtt'
  const names = [
    ...(asked.src ? ['source'] : []),
    ...(asked.tls ? ['tls'] : []),
    ...(asked.pki ? ['pki'] : []),
  ]
  const annotators = [
    ...(asked.src ? ['source()'] : []),
    ...(asked.tls ? ['tls()'] : []),
    ...(asked.pki ? ['pki({ verifyingKey })'] : []),
    ...(asked.rule ? [annotator(asked.rule)] : []),
  ]
  const given = 'file' in payload ? `await readFile(${quoted(payload.file)})` : bytes(payload.text)
  const target =
    broker === undefined ? 'consoleStream()' : `mqtt({ url: ${quoted(broker)}, topic: 'alvarium-topic' })`
  const isMutate = action === 'mutate'
  return [
    ...('file' in payload ? ["import { readFile } from 'node:fs/promises'"] : []),
    `import { ${['generateKey', 'openSdk', stream, ...names].sort().join(', ')} } from 'alvarium-sdk'`,
    '',
    `const { signingKey${asked.pki ? ', verifyingKey' : ''} } = generateKey() // once: keep it, and hand out the public half`,
    ...(isMutate ? [`const previousPayload = ${bytes('what it was made from')}`] : []),
    `const payload = ${given}`,
    '',
    'const sdk = await openSdk({',
    '  signingKey,',
    `  annotators: [${annotators.map((one) => `\n    ${one},`).join('')}\n  ],`,
    `  stream: ${target},`,
    '})',
    isMutate ? 'await sdk.mutate(previousPayload, payload)' : `await sdk.${action}(payload)`,
    'await sdk.close()',
  ].join('\n')
}

function bytes(text: string): string {
  return `new TextEncoder().encode(${quoted(text)})`
}

const SIGNS = { '<': '<', '≤': '<=', '=': '===', '≠': '!==', '≥': '>=', '>': '>' } as const

function annotator({ kind, path, operator, value }: Rule): string {
  const steps = path.split('.').map((name) => `?.[${quoted(name)}]`)
  const found = `JSON.parse(new TextDecoder().decode(payload))${steps.join('')}`
  const holds = { exists: `${found} !== undefined`, contains: `String(${found}).includes(${quoted(value)})` }
  const isNumber = value.trim() !== '' && !Number.isNaN(Number(value))
  const compared =
    operator === 'exists' || operator === 'contains'
      ? holds[operator]
      : `${found} ${SIGNS[operator]} ${isNumber ? Number(value) : quoted(value)}`
  return `{ kind: ${quoted(kind)}, needs: 'payload', isSatisfied: ({ payload }) => ${compared} }`
}
