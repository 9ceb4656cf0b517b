// @node-only: it uses node:child_process, node:fs, node:os, node:path

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyIdOf, loadAlgorithms, readKey, signBytes, verifyBytes } from 'alvarium-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'

const folder = mkdtempSync(join(tmpdir(), 'alvarium-ssh-'))
afterAll(() => rmSync(folder, { recursive: true }))
beforeAll(() => loadAlgorithms())

const run = (...args: string[]) => execFileSync('ssh-keygen', args, { stdio: ['ignore', 'pipe', 'pipe'] })
const hasSshKeygen = (() => {
  try {
    run('-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'probe'))
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!hasSshKeygen)('the files of ssh-keygen', () => {
  // claim: keys-2
  it.each(['ed25519', 'ecdsa'])(
    'of type %s sign and verify, whatever the length of their comment',
    async (type) => {
      // The comments have each length that changes the padding; some scalars begin with a zero.
      for (let length = 0; length < 9; length++) {
        const path = join(folder, `${type}-${length}`)
        run(
          '-q',
          '-t',
          type,
          ...(type === 'ecdsa' ? ['-b', '256'] : []),
          '-N',
          '',
          '-C',
          'c'.repeat(length),
          '-f',
          path,
        )
        const signature = signBytes(await readKey(path), utf8('hello'))
        expect(verifyBytes(await readKey(`${path}.pub`), utf8('hello'), signature)).toBe(true)
      }
    },
  )

  it('have the same key id as the public key in PEM', async () => {
    const path = join(folder, 'ecdsa-pem')
    run('-q', '-t', 'ecdsa', '-b', '256', '-N', '', '-f', path)
    expect(keyIdOf(await readKey(`${path}.pub`))).toBe(keyIdOf(run('-e', '-m', 'PKCS8', '-f', path)))
  })

  it.each([
    ['with a passphrase', ['-t', 'ed25519', '-N', 'a passphrase'], 'ssh-keygen -p'],
    ['of RSA', ['-t', 'rsa', '-b', '2048', '-N', ''], 'ssh-rsa'],
    ['of P-384', ['-t', 'ecdsa', '-b', '384', '-N', ''], 'ecdsa-sha2-nistp384'],
  ])('%s are refused, with the reason', async (_, options, got) => {
    const path = join(folder, `refused ${got}`)
    run('-q', ...options, '-f', path)
    const error = await failure(async () => signBytes(await readKey(path), utf8('hello')))
    expect(error).toMatchObject({ code: 'KEY_INVALID', message: expect.stringContaining(got) })
  })

  it('can be used after ssh-keygen -p has removed their passphrase', async () => {
    const path = join(folder, 'locked')
    run('-q', '-t', 'ed25519', '-N', 'a passphrase', '-f', path)
    run('-p', '-P', 'a passphrase', '-N', '', '-f', path)
    expect(signBytes(await readKey(path), utf8('hello'))).toHaveLength(64)
  })
})
