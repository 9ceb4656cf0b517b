import { execFile } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { deflateRawSync } from 'node:zlib'
import { type Annotation, cbor, generateKey, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { issueLease } from 'alvarium-sdk/trust'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callAsCode } from '../../examples/demo/panels/make/code.js'
import { codeFor } from '../../examples/demo/panels/verify/code.js'
import { textOf, utf8 } from '../support/bytes.js'
import { genuineMessages, payload } from '../support/messages.js'
import { key } from '../support/sdk.js'
import { messageFrom, policyOf } from '../support/trust.js'
import { classicCases, golden, vectorBytes } from '../support/vectors.js'
import type { DemoPage } from './page/page.js'
import { VerifyPanel } from './page/verify.js'
import { BROWSERS, itOfPage, longVisit } from './page/visits.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

const goldenKey = () => golden().publicKey

/** Returns a link that decompresses to far more than any message has. */
const bomb = () => deflateRawSync(JSON.stringify(['x'.repeat(10_000_000), ''])).toString('base64url')

function nodeKey(bytes: Uint8Array) {
  const x = Buffer.from(bytes).toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

const pem = (bytes: Uint8Array) => String(nodeKey(bytes).export({ type: 'spki', format: 'pem' }))

/** Returns PEM without line breaks in its content. */
const spki = (der: Uint8Array) =>
  `-----BEGIN PUBLIC KEY-----\n${Buffer.from(der).toString('base64')}\n-----END PUBLIC KEY-----`

/** Returns a public key in every form that people use. */
function forms(bytes: Uint8Array): string[] {
  return [
    toHex(bytes),
    toHex(bytes).toUpperCase(),
    pem(bytes),
    JSON.stringify(nodeKey(bytes).export({ format: 'jwk' })),
    openssh(bytes),
  ]
}

/** Returns a line as in `id_ed25519.pub`. */
function openssh(bytes: Uint8Array): string {
  const head = Buffer.from([0, 0, 0, 11, ...utf8('ssh-ed25519'), 0, 0, 0, 32])
  return `ssh-ed25519 ${Buffer.concat([head, bytes]).toString('base64')} device-7 at the gate`
}

/** The shells for the code; all of them are installed for the tests. */
const SHELLS = ['sh', 'bash', 'zsh', 'fish']

/** Every sample, its described kind, and a field whose flip only the signature detects. */
const SAMPLES: [name: string, kind: string, field: string][] = [
  ['Go SDK', 'Go SDK, JSON', 'isSatisfied of annotation 1'],
  ['Java SDK', 'Java SDK, JSON', 'isSatisfied of annotation 1'],
  ['Rust SDK', 'Rust SDK, JSON', 'isSatisfied of annotation 1'],
  ['Python SDK', 'Python SDK, JSON', 'isSatisfied of annotation 1'],
  ['Bundle', 'bundle, JSON', 'host'],
  ['Batch', 'batch, JSON', 'host of bundle 2'],
  ['Extracted bundle', 'extracted bundle, JSON', 'host'],
]

/** Replaces the tool's text, as pasting over all of it does. */
async function paste(demo: DemoPage, text: string): Promise<void> {
  await demo.page.$eval(
    'textarea[aria-label="Message"]',
    (element, pasted) => {
      const area = element as HTMLTextAreaElement
      area.select()
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', pasted)
      const event = new Event('paste', { bubbles: true, cancelable: true })
      // Firefox omits clipboardData from a ClipboardEvent of a page.
      area.dispatchEvent(Object.assign(event, { clipboardData }))
    },
    text,
  )
}

describe.each(BROWSERS)('the Verify tool of the demo page, in %s', (browser) => {
  const visit = longVisit(browser, {})
  const ofPage = itOfPage(browser)
  const panel = () => new VerifyPanel(visit())

  ofPage.each(SAMPLES)(
    'verifies the sample "%s", and refuses the sample with an altered field or payload',
    async (name, kind, field) => {
      await panel().openSample(name)
      await visit().shows('.message-bytes', kind)
      await panel().alter(field)
      await visit().shows('.sdk-says code', 'SIGNATURE_INVALID')
      await visit().shows('.verdict-headline', 'Altered')
      await visit().shows('.marks mark', /./)
      await visit().click('button', 'Undo', 'verify')
      await visit().click('button', 'Flip payload')
      await visit().shows('.sdk-says code', 'PAYLOAD_MISMATCH')
    },
  )

  ofPage('shows a CBOR message in hexadecimal, and refuses the message after an edit', async () => {
    await panel().openSample('CBOR')
    await visit().shows('.message-bytes', 'bundle, CBOR')
    const hex = await visit().page.$eval(
      'textarea[aria-label="Message"]',
      (area) => (area as HTMLTextAreaElement).value,
    )
    // A digit of the key, the longest binary field.
    await visit().fill('Message', hex.replace(/2cf24dba/, '2cf24dbb'))
    await visit().shows('.sdk-says code', 'SIGNATURE_INVALID')
    await visit().shows('.marks mark', 'b')
  })

  it('checks a pasted message, and marks the field that the failed check names', async () => {
    const message = golden().cases[0]?.message ?? ''
    await visit().click('button', 'Clear', 'verify')
    await paste(visit(), message)
    await visit().shows('.sdk-says code', 'SIGNER_UNKNOWN')
    await visit().shows('#message-title', 'Pasted message')
    await visit().fill('Public keys to trust, or a trust policy', goldenKey())
    await visit().shows('.verdict-words', 'Genuine')
    await paste(visit(), message.replace('"layer":"app"', '"layer":"attic"'))
    await visit().shows('.sdk-says code', 'MESSAGE_MALFORMED')
    await visit().shows('.marks mark', '"attic"')
  })

  ofPage(
    'cannot tell about a message of another SDK without annotations, because nothing is signed',
    async () => {
      const content = Buffer.from('{"items":[]}').toString('base64')
      await paste(
        visit(),
        JSON.stringify({ action: 'create', messageType: 'contracts.AnnotationList', content }),
      )
      await visit().shows('.sdk-says', 'SIGNER_UNKNOWN no annotations: nothing of it is signed')
      expect(await panel().marks()).toEqual(['passed', 'cannot tell', 'not reached', 'not provided'])
    },
  )

  ofPage.each(['go', 'java', 'rust', 'python'] as const)(
    'shows "Cannot tell yet" for a message of the %s SDK until the sender’s key is pasted',
    async (dialect) => {
      const [one] = classicCases(dialect).filter(({ annotations }) => annotations.length > 1)
      await visit().click('button', 'Clear', 'verify')
      await visit().fill('Public keys to trust, or a trust policy', goldenKey())
      await paste(visit(), one?.message ?? '')
      await visit().shows('.sdk-says code', 'SIGNER_UNKNOWN')
      await visit().shows('.verdict-words .needs', "the sender's public key")
      await visit().shows('.verdict-headline', 'Cannot tell yet')
      expect(await panel().marks()).toEqual(['passed', 'cannot tell', 'not reached', 'not provided'])
      expect(await visit().page.$$('.checking.failed, .verdict-words.failed, .check-marks .failed')).toEqual(
        [],
      )
      expect(await visit().texts('.classic-answers strong')).toEqual(
        one?.annotations.map((_, at) => `? annotation ${at + 1}`),
      )
      // The visitor's alterations are not marked either, because no part of the message is verified.
      await panel().alter('isSatisfied of annotation 1')
      await visit().page.waitForSelector('.tamper-actions button:enabled')
      expect(await visit().page.$$('.marks mark, .was')).toEqual([])
      expect(await visit().text('#message-title')).toBe('Pasted message')
      await visit().click('button', 'Undo', 'verify')
      await visit().fill('The sender’s public key', 'ab')
      await visit().shows('.sdk-says code', 'KEY_INVALID')
      await visit().shows('.verdict-headline', 'Cannot tell yet')
      await visit().fill('The sender’s public key', textOf(vectorBytes(`keys/${dialect}-public.key`)))
      await visit().shows('.verdict-headline', 'Genuine')
      expect(await visit().page.$$('.sender-key')).toEqual([])
    },
  )

  ofPage('accepts public keys in any form, several at once, and reports an invalid key', async () => {
    const { create } = await genuineMessages()
    await paste(visit(), new TextDecoder().decode(create))
    for (const form of forms(key.verifyingKey)) {
      await visit().fill('Public keys to trust, or a trust policy', `${goldenKey()}\n${form}`)
      await visit().shows('.verdict-words', 'Genuine')
      await visit().fill('Public keys to trust, or a trust policy', 'not a key')
      await visit().shows('.sdk-says code', 'KEY_INVALID')
    }
  })

  ofPage.each(['P-256', 'secp256k1', 'SM2'] as const)('accepts a public key of %s', async (algorithm) => {
    const { signingKey, verifyingKey } = await generateKey({ algorithm })
    const stream = memory()
    const sdk = await openSdk({ signingKey, annotators: [source()], stream })
    await sdk.create(payload)
    await sdk.close()
    await paste(visit(), new TextDecoder().decode(stream.messages[0]))
    await visit().fill('Public keys to trust, or a trust policy', spki(verifyingKey))
    await visit().shows('.verdict-words', 'Genuine')
  })

  it('shows the verdict inside the window after a field of the message is altered, on a phone too', async () => {
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      await visit().page.setViewport({ width, height })
      await panel().openSample('Bundle')
      await panel().alter('isSatisfied of annotation 1')
      await visit().shows('.sdk-says code', 'SIGNATURE_INVALID')
      const { top, bottom } = await visit().page.$eval('.verdict-words p', (words) =>
        words.getBoundingClientRect().toJSON(),
      )
      expect([width, top >= 0, bottom <= height]).toEqual([width, true, true])
    }
  })

  it('shows long lines of code in a box that scrolls, on a phone too', async () => {
    const { page } = visit()
    await page.setViewport({ width: 390, height: 844 })
    await panel().openSample('Bundle')
    await page.$eval('#verify .as-code', (details) => details.setAttribute('open', ''))
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  })

  it('restores its state from a copied link, which contains the state only in the fragment', async () => {
    await panel().openSample('Python SDK')
    await visit().page.evaluate(() => history.replaceState({}, '', '?broker=wss://name:password@host'))
    await visit().click('button', 'Copy link')
    await visit().page.waitForFunction(() => location.hash.startsWith('#v='))
    expect(visit().page.url()).not.toContain('password')
    const { url } = visit()
    const link = visit().page.url()
    expect(new URL(link).origin + new URL(link).pathname).toBe(url)
    await visit().page.goto('about:blank')
    await visit().page.goto(link)
    await visit().shows('#message-title', 'Linked message')
    await visit().shows('.message-bytes', 'Python SDK')
    await visit().shows('.check-marks', /Signature.*passed.*Payload.*passed/s)
  })

  ofPage(
    'does not call a message "Genuine" by a key from a link until the visitor trusts the signer',
    async () => {
      const { signingKey, verifyingKey } = generateKey()
      const stream = memory()
      await using sdk = await openSdk({ signingKey, annotators: [source()], stream })
      const { bundle, message } = await sdk.create(payload)
      const parts = [
        new TextDecoder().decode(message),
        toHex(verifyingKey),
        new TextDecoder().decode(payload),
      ]
      const fragment = `#v=${deflateRawSync(JSON.stringify(parts)).toString('base64url')}`
      await visit().page.goto('about:blank')
      await visit().page.goto(`${visit().url}${fragment}`)
      await visit().shows(
        '.verdict-words',
        /Consistent with the public key that came with this link.*Anyone/s,
      )
      await visit().shows('.verdict-words', bundle.signer)
      await visit().shows('.check-marks', /Signer known.*came with the link.*Signature.*passed/s)
      // One more key leaves the signer's key in place.
      await visit().fill('Public keys to trust, or a trust policy', `${toHex(verifyingKey)}\n${goldenKey()}`)
      await visit().shows('.verdict-words', 'Consistent with the public key')
      // Another spelling of the key means the same.
      await visit().fill('Public keys to trust, or a trust policy', toHex(verifyingKey).toUpperCase())
      await visit().shows('.verdict-words', 'Consistent with the public key')
      await visit().click('button', 'I know this signer: trust it')
      await visit().shows('.verdict-words', 'Genuine')
      await visit().shows('.check-marks', /Signer known.*passed/s)
    },
  )

  it('ignores harmful messages from other pages of its origin on its broadcast channels', async () => {
    const errors: unknown[] = []
    visit().page.on('pageerror', (error) => errors.push(error))
    await visit().page.evaluate(() => {
      const topic = `alvarium-demo/${localStorage.getItem('alvarium-demo-topic')}`
      for (const name of ['alvarium-demo-keys', topic]) {
        const channel = new BroadcastChannel(name)
        for (const junk of [null, 7, 'junk', {}, { message: 1, number: 2 }, { received: {} }])
          channel.postMessage(junk)
        channel.close()
      }
    })
    await panel().openSample('Bundle')
    await visit().shows('.verdict-words', 'Genuine')
    expect(errors).toEqual([])
  })

  it.each([
    ['invalid base64', '#v=%%%'],
    ['data that is not JSON', '#v=S0wqTk4F'],
    ['a decompression bomb of 10 MB', `#v=${bomb()}`],
  ])('reports a damaged link, and continues: %s', async (_, fragment) => {
    await visit().page.goto('about:blank')
    await visit().page.goto(`${visit().url}${fragment}`)
    await visit().ready()
    await visit().shows('#message-title', 'Service’s message')
    await visit().shows('.opening .absent', 'This link is damaged')
  })

  it('opens a file that is dropped anywhere, without leaving the page', async () => {
    const { create } = await genuineMessages()
    const prevented = await visit().page.evaluate((text) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([text], 'reading.json'))
      const over = new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true })
      const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
      const footer = document.querySelector('footer')
      return [over, drop].map((event) => footer?.dispatchEvent(event))
    }, new TextDecoder().decode(create))
    expect(prevented).toEqual([false, false])
    await visit().shows('#message-title', 'Reading.json')
  })

  describe("with the visitor's files,", () => {
    const choose = (label: string, bytes: Uint8Array, name?: string) => visit().give(label, bytes, name)

    it('verifies a message, and then the payload that the visitor chooses', async () => {
      const { create } = await genuineMessages()
      await choose('File to look at', create, 'reading.json')
      await visit().fill('Public keys to trust, or a trust policy', toHex(key.verifyingKey))
      await visit().shows('.verdict-words', 'not altered since')
      await choose('Payload as a file', utf8('another'))
      await visit().shows('.sdk-says code', 'PAYLOAD_MISMATCH')
      await choose('Payload as a file', payload)
      await visit().shows('.verdict-words', 'about this payload')
      expect(await panel().marks()).toEqual(['passed', 'passed', 'passed', 'passed'])
    })

    ofPage(
      'accepts a trust policy and leases, as text or files, and names the signer, the lease or the error',
      async () => {
        const { signingKey } = generateKey()
        const lease = textOf(await issueLease(key.signingKey, { subject: signingKey, name: 'line 4' }))
        const message = textOf(await messageFrom({ signingKey }))
        const given = (text: string) => choose('Trust policy or leases as a file', utf8(text))
        await paste(visit(), message)
        await visit().fill('Public keys to trust, or a trust policy', JSON.stringify(policyOf(), null, 2))
        await visit().shows('.sdk-says code', 'SIGNER_UNKNOWN')
        await given(lease)
        await visit().shows('.verdict-words', 'Its signer may say this.')
        await visit().shows('.says .signer-name', 'gateway-1')
        await visit().shows('.says', 'by lease line 4, until ')
        expect((await panel().marks()).at(-1)).toBe('passed')
        const refusals = [
          [{ hosts: ['edge-8'] }, 'SIGNER_NOT_ALLOWED'],
          [{ until: '2020-01-01T00:00:00Z' }, 'SIGNER_EXPIRED'],
          [{ revoked: { since: '2020-01-01T00:00:00Z' } }, 'SIGNER_REVOKED'],
          [{ maxLeaseMs: 0 }, 'SIGNER_NOT_ALLOWED'],
          [{ hosts: 'edge-7' }, 'CONFIG_INVALID'],
        ] as const
        for (const [rules, code] of refusals) {
          const policy = JSON.stringify(policyOf(rules as object))
          await visit().fill('Public keys to trust, or a trust policy', `${policy}\n${lease}`)
          await visit().shows('.sdk-says code', code)
        }
        await given(`signers:\n  - name: in YAML\n    keys: ["${toHex(key.verifyingKey)}"]\n${lease}\n`)
        await visit().shows('.says .signer-name', 'in YAML')
        await given('neither of them')
        await visit().shows('.opening .absent', 'expected a trust policy, or leases')
        await visit().click('button', 'Clear', 'verify')
      },
    )

    ofPage('reports a file that is too long, with the limit', async () => {
      await choose('File to look at', new Uint8Array(300_000), 'film')
      await visit().shows('.opening .absent', 'film: expected at most 262 kB, got 300 kB')
    })
  })
})

describe('the code that the Verify tool shows', () => {
  const checked = {
    payload,
    keys: `${goldenKey()}\n${pem(key.verifyingKey)}`,
    kind: 'bundle',
    isCbor: false,
    isClassic: false,
  }

  it('runs unchanged in Node', async () => {
    const { create } = await genuineMessages()
    const program = codeFor('node', { ...checked, message: create })
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: root })
    expect(JSON.parse(stdout)).toMatchObject({ action: 'create', payloadChecked: true })
  })

  it.each(['node', ...SHELLS])('runs unchanged in %s, with a trust policy and leases', async (place) => {
    const [{ signingKey }, other] = [generateKey(), generateKey()]
    const issue = (subject: Uint8Array) => issueLease(key.signingKey, { subject, name: "it's \\ 'this'" })
    const leases = [await issue(other.signingKey), await issue(signingKey)].map(textOf)
    for (const rules of [{}, { hosts: ['edge-8'] }]) {
      const keys = [JSON.stringify(policyOf(rules), null, 2), ...leases].join('\n')
      const given = { ...checked, payload: undefined, keys, message: await messageFrom({ signingKey }) }
      const cwd = await mkdtemp(join(tmpdir(), 'alvarium-demo-policy-'))
      onTestFinished(() => rm(cwd, { recursive: true }))
      const code = codeFor(place === 'node' ? 'node' : 'cli', given)
      const installed = code.replace('| alvarium', `| "${process.execPath}" "${root}dist/cli/main.js"`)
      const ran =
        place === 'node'
          ? run(process.execPath, ['--input-type=module', '--eval', code], { cwd: root })
          : run(place, ['-c', installed], { cwd })
      const said = await ran.then(
        ({ stdout }) => stdout,
        ({ stdout, stderr }) => `${stdout}${stderr}`,
      )
      expect(said).toContain('hosts' in rules ? 'SIGNER_NOT_ALLOWED' : 'gateway-1')
    }
  })

  const payloadsIn = [
    ['text', payload],
    ['quotes and a NUL', utf8('it\'s "\\" \0 $(id)')],
    ['backslashes before quotes', utf8("\\'; touch PWNED; \\\\'\\")],
    ['no text', Uint8Array.of(0, 255, 92, 48)],
  ] as const

  it.each(SHELLS.flatMap((shell) => payloadsIn.map(([what, bytes]) => [shell, what, bytes] as const)))(
    'runs unchanged in %s, with a payload that is %s',
    async (shell, what, bytes) => {
      const stream = memory()
      const sdk = await openSdk({ signingKey: key.signingKey, annotators: [source()], stream })
      await sdk.create(bytes)
      await sdk.close()
      const [message] = stream.messages as [Uint8Array]
      // A message in CBOR is not text, whatever its payload is.
      const given = { json: message, ...(what === 'no text' && { cbor: cbor().encode(message) }) }
      for (const [name, one] of Object.entries(given)) {
        const lines = codeFor('cli', { ...checked, message: one, payload: bytes, isCbor: name === 'cbor' })
        const installed = lines.replace('| alvarium', `| "${process.execPath}" "${root}dist/cli/main.js"`)
        const cwd = await mkdtemp(join(tmpdir(), 'alvarium-demo-shell-'))
        onTestFinished(() => rm(cwd, { recursive: true }))
        const { stdout } = await run(shell, ['-c', installed], { cwd })
        expect(await readdir(cwd)).toEqual([])
        expect(stdout).toMatch(/^✓ verified.*payload {6}the one that was given/s)
      }
    },
  )

  it.each([
    ['deletes the line', '\x15touch PWNED\n'],
    ['ends the paste', '\x1b[201~\ntouch PWNED\n'],
    ['interrupts the command', '\x03\ntouch PWNED\n'],
    ['reverses the direction of the text', '\u202etouch PWNED'],
  ])('contains no control characters of a payload that %s', (_, hostile) => {
    const text = `{"a":1}${hostile}`
    const lines = codeFor('cli', {
      ...checked,
      message: utf8(text),
      payload: utf8(text),
      keys: `{${hostile}}\n-----BEGIN PUBLIC KEY-----${hostile}-----END PUBLIC KEY-----`,
    }).split('\n')
    expect(lines).toHaveLength(5)
    for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(lines.join()).not.toContain('touch')
  })

  it('keeps quotes, line ends and markup of a message inside a string', () => {
    const code = codeFor('browser', { ...checked, message: utf8('\'\\"</script>\n\u2028END') })
    expect(code).toContain(String.raw`encode('\'\\"<\/script>\n\u2028END')`)
    const unseen = codeFor('node', { ...checked, message: utf8('\x9b1A\u202e\u{e0041}') })
    expect(unseen).toContain(String.raw`encode('\u009b1A\u202e\udb40\udc41')`)
  })
})

describe('the code that the demo page shows for a call', () => {
  const asked = {
    src: true,
    tls: true,
    pki: true,
    rule: { kind: "it's", path: 'a.b', operator: '≤', value: '7' },
  } as const

  it.each([
    ['create', '{"a":{"b":7}}', true],
    ['mutate', '{"a":{"b":8}}', false],
    ['publish', 'no JSON: \'"\\', false],
  ] as const)('runs unchanged, for a %s with the payload %s', async (action, text, expected) => {
    const program = callAsCode({ action, asked, payload: { text } })
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: root })
    const { action: made, content } = JSON.parse(stdout)
    expect(made).toBe(action)
    const answers = content.annotations.map(({ kind, isSatisfied }: Annotation) => [kind, isSatisfied])
    expect(answers).toEqual([
      ['src', true],
      // A mutate receives no data.
      ...(action === 'mutate' ? [] : [['tls', false]]),
      ['pki', false],
      ["it's", expected],
    ])
  })
})
