/** Writes a call as code to paste: the page's last call, with its own key. */
import type { Action } from 'alvarium-sdk'
import type { Asked } from '../../protocol.ts'
import type { Rule } from '../../rule.ts'
import { quoted } from '../../ui/code.ts'

export interface Made {
  readonly action: Action
  readonly asked: Asked
  /** Text of the payload; for other bytes, the name of the file to read. */
  readonly payload: { readonly text: string } | { readonly file: string }
  /** Address of the broker; if absent, the program writes messages to the console. */
  readonly broker?: string
}

/** Returns a program that makes the same call. */
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
