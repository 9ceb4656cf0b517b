import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { identityBytes, keyIdOf, signBytes, toHex, verifyMessage } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../examples/guide/build/pages.mjs'
import { concat, fromHex, utf8 } from '../support/bytes.js'
import { golden } from '../support/vectors.js'

const page = readFileSync(join(ROOT, 'crate/FORMAT.md'), 'utf8')
const { seed, publicKey, keyId } = golden()
const content = {
  signer: keyId,
  key: 'a',
  hash: 'none',
  host: '',
  layer: 'app',
  timestamp: '2026-11-20T10:00:00.123456Z',
  annotations: [],
}
const written = (signature: Uint8Array) =>
  utf8(
    JSON.stringify({
      action: 'create',
      messageType: 'alvarium.AnnotationBundle/1',
      content: { signature: toHex(signature), ...content },
    }),
  )

/** Returns the bytes on the page, one field per line, with the signer of the golden messages inserted. */
function shown(): Uint8Array {
  const [, block = ''] = page.split('an empty host and layer `app`:\n\n```\n')
  const [lines = ''] = block.split('\n```')
  const fields = lines.split('\n').map((line) => {
    const hex = line.split(/ {3,}/)[0] ?? ''
    const [length = ''] = hex.split('…')
    const bytes = fromHex(length.replaceAll(' ', ''))
    return hex.includes('…') ? concat(bytes, utf8(keyId)) : bytes
  })
  return concat(...fields)
}

describe('the example message of FORMAT.md', () => {
  const identity = identityBytes(written(new Uint8Array(64)))

  // claim: format-19
  it('has the identity bytes that FORMAT.md shows', () => {
    expect(toHex(identity)).toBe(toHex(shown()))
  })

  // claim: format-20
  it('has the bundle id that FORMAT.md states', async () => {
    expect(page).toContain(`with the signer \`${keyIdOf(publicKey)}\`, has the id`)
    const message = written(signBytes({ seed }, identity))
    const { id } = await verifyMessage(message, { keyring: [publicKey] })
    expect(page).toContain(`\`\`\`\n${id}\n\`\`\``)
  })
})
