// @internal: the command does not show how often it hashed a payload
import 'alvarium-sdk'
import { expect, it } from 'vitest'
import { AskedPayload } from '../../dist/cli/verify/asked-payload.js'
import { utf8 } from '../support/bytes.js'

it('AskedPayload hashes a payload once, whatever the number of bundles', () => {
  const bytes = utf8('21.4')
  const asked = new AskedPayload(bytes)
  const key = asked.keyBy('sha256')
  bytes.fill(0)
  expect(asked.keyBy('sha256')).toBe(key)
  expect(asked.isOf({ hash: 'sha256', key: key ?? '' })).toBe(true)
})

it('AskedPayload with a payload that is not UTF-8 matches no payload key with the hash "none"', () => {
  expect(new AskedPayload(Uint8Array.of(0xff)).isOf({ hash: 'none', key: '\ufffd' })).toBe(false)
})
