// @node-only: it starts processes
// @alone

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const run = promisify(execFile)

/** RFC 8032, section 7.1, test 1. */
const PUBLIC = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'
const SECRET = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'
const POLICY = `{ signers: [{ name: 'a', keys: ['${PUBLIC}'] }] }`

/** A first call of each name that needs the core, in a program that imports nothing else. Each returns true. */
const FIRST: Readonly<Record<string, string>> = {
  '.': 'm.generateKey().verifyingKey.length === 32',
  './verify': `m.keyIdOf('${PUBLIC}').length > 0`,
  './sets': `(await m.sealSet([new Uint8Array(3)], { name: 'x', signingKey: { seed: '${SECRET}' } })) !== undefined`,
  './trust': `(await m.readTrust(${POLICY})) instanceof m.Trust`,
  './score': 'm.readPolicy({ version: 1 }).digest.length === 64',
  './http': `m.pkiHttp({ format: 'rfc9421', keys: { a: '${PUBLIC}' } }).kind === 'pki-http'`,
  './store': `(await (await m.openStore('memory:', { keyring: ['${PUBLIC}'] })).about(new Uint8Array(3))).bundles === 0`,
  './pool': 'await (await m.pool({ workers: 1 })).close() === undefined',
  './sources': `(await new Blob(['']).stream().pipeThrough(m.hashing({ hash: 'md5' })).getReader().read()).done`,
  './packs': `(await m.makePack([], { about: { payload: { hash: 'sha256', key: '${'AB'.repeat(32)}' } }, trust: ${POLICY} }).next()).done === false`,
}

describe('a program that imports only one entry point of the package', () => {
  it.each(Object.entries(FIRST))(
    'has a working core at its first call: %s',
    async (name, call) => {
      expect(Object.keys(manifest.exports)).toContain(name)
      const program = `import * as m from '${name.replace('.', 'alvarium-sdk')}'\nconsole.log(${call})\nprocess.exit()`
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program])
      expect(stdout).toBe('true\n')
    },
    60_000,
  )
})
