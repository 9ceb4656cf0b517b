import { PORT } from '../demo/build/port.mjs'
import { answer, bold, count, dim, green, red, short, size, table } from '../shared/terminal.mjs'

/**
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {import('./job.mjs').Job} job
 */
export function introduce(
  { path, name, bytes, unit, mutateMeans, completeMeans },
  { keyId, where, verifier },
) {
  print(
    bold('Alvarium: whoever touches data signs what it knows about it, so that others can judge it later'),
    '',
    `  data       ${path} (${name}, ${size(bytes)})`,
    `  signer     key ${keyId}, Ed25519, made for this run`,
    `  broker     ${where}; a small one, in this process`,
    `  verifier   process ${verifier.pid}, which knows only the public key`,
    '',
    `  The ${unit} go through four calls each. A call hashes the payload, asks four annotators, signs`,
    '  their answers together and sends the signed bundle to the broker, never the payload itself.',
    '',
    '  calls      create     the payload comes into being at a device',
    '             transit    it arrives at the gateway, unchanged',
    `             mutate     another one is made from it: ${mutateMeans}`,
    '             publish    that one is handed on',
    '',
    '  asked      src        did this host handle it? always yes: what counts is the signature',
    '             tls        did it come over an encrypted connection? not here, this is ws://',
    '                        a mutate does not ask it: making a payload moves nothing',
    '             tpm        does the host have a security chip?',
    `             complete   our own: ${completeMeans}?`,
    '',
  )
}

/**
 * @param {import('./job.mjs').Job} job
 * @returns {boolean} true if the verifier has verified every call
 */
export function printCalls({ tally, verifier }) {
  const { called, acknowledged, calls, published, elapsedMs } = tally
  const rejected = verifier.rejections.length
  const rows = Object.keys(called).map((action) => [
    action,
    ...[called[action], acknowledged[action], verifier.verified[action] ?? 0].map(count),
    '',
  ])
  const perSecond = `${count(calls / (elapsedMs / 1000))} calls/s`
  print(
    ...table([
      ['', 'calls', 'published', 'verified', 'rejected'],
      ...rows,
      ['all', ...[calls, published, verifier.total, rejected].map(count)],
    ]),
    '',
    `  ${(elapsedMs / 1000).toFixed(1)} s, ${bold(perSecond)}, ${count((elapsedMs * 1000) / calls)} µs per call with everything: broker, acknowledgement, verifier`,
    '',
    ...answersTable(verifier.answers),
    '',
    '  tls has fewer answers, because a mutate does not ask it: three of four calls do.',
    '',
    `  The first of them: ${sentence(tally.first.receipt.bundle)}`,
    '',
  )
  return published === calls && verifier.total === calls && rejected === 0
}

/** @param {import('alvarium-sdk').Bundle} bundle */
function sentence({ action, key, host, timestamp, signer, annotations }) {
  return `${action} of ${short(key)} on ${host} at ${timestamp}
    ${annotations.map(answer).join('  ')}  signed ${short(signer)}`
}

/** @param {Record<string, [no: number, yes: number]>} answers */
function answersTable(answers) {
  const rows = Object.entries(answers).map(([kind, [no, yes]]) => [kind, count(yes), count(no)])
  return table([['', 'satisfied', 'not satisfied'], ...rows])
}

/**
 * @param {import('./tamper.mjs').Attempt[]} attempts
 * @returns {boolean} true if every alteration was detected
 */
export function printAttempts(attempts) {
  print(dim('  The first message again, altered:'), '')
  const verdicts = attempts.map(({ what, where, expected, rejection }) => {
    const isNoticed = rejection?.code === expected
    print(`  ${isNoticed ? green('✓') : red('✗')} ${what}`)
    print(`    ${where}: ${rejection ? bold(rejection.code) : 'took it for genuine'}`)
    print(`    ${rejection?.message ?? ''}`, '')
    return isNoticed
  })
  return verdicts.every(Boolean)
}

export function printWhereNext() {
  print(
    dim('  Where to go next'),
    '',
    `  npm run demo          the same to see and touch, in your browser: http://127.0.0.1:${PORT}/`,
    '  npm start -- <file>   the same with your own CSV, NDJSON or any other file',
    '  README.md             what it is, and which part of it to use when',
    '  examples/guide/       keys, annotators, delivery, verifying, where it runs',
    '  examples/README.md    an HTTP service, a browser page, a confidence score',
    '  npm test              behaviour, brokers, browsers',
    '  npm run bench         where the microseconds go',
  )
}

/** @param {string[]} lines */
function print(...lines) {
  console.log(lines.join('\n'))
}
