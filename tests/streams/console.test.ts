import { consoleStream, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { key, keyring } from '../support/sdk.js'

// claim: streams-11
it('consoleStream writes each message as one line, which verifies', async () => {
  const lines: string[] = []
  const stream = consoleStream((line) => lines.push(line))
  const sdk = await openSdk({
    signingKey: key.signingKey,
    annotators: [source()],
    host: 'Z\u00fcrich',
    stream,
  })
  for (const text of ['a', 'b']) await sdk.create(utf8(text))
  await sdk.close()
  expect(lines).toHaveLength(2)
  for (const [at, line] of lines.entries()) {
    expect(line).not.toContain('\n')
    const bundle = await verifyMessage(utf8(line), { keyring, payload: utf8('ab'.charAt(at)) })
    expect(bundle.host).toBe('Z\u00fcrich')
  }
})
