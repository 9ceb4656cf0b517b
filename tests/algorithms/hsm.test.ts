import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memory, openSdk, type Signer, source, verifyMessage } from 'alvarium-sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'

/** Where Debian and others have SoftHSM's library, which speaks PKCS#11 as hardware does. */
const [library] = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
].filter((path) => existsSync(path))

let folder: string
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alvarium-hsm-'))
  await mkdir(join(folder, 'tokens'))
  const conf = join(folder, 'softhsm2.conf')
  await writeFile(conf, `directories.tokendir = ${folder}/tokens\nlog.level = ERROR\n`)
  env = { ...process.env, SOFTHSM2_CONF: conf }
  const token = ['--free', '--label', 'edge-7', '--pin', '1234', '--so-pin', '1234']
  execFileSync('softhsm2-util', ['--init-token', ...token], { env, stdio: 'ignore' })
})
afterAll(() => rm(folder, { recursive: true }))

const onToken = (...args: string[]) =>
  execFileSync('pkcs11-tool', ['--module', library as string, '--login', '--pin', '1234', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })

it.each([
  ['P-256', 'EC:prime256v1', '01'],
  ['secp256k1', 'EC:secp256k1', '02'],
])('a key of %s that never leaves a module with PKCS#11 signs', async (_, type, id) => {
  onToken('--keypairgen', '--key-type', type, '--id', id)
  const verifyingKey = Uint8Array.from(onToken('--read-object', '--type', 'pubkey', '--id', id))
  const sign: Signer['sign'] = async (identity) => {
    const [digest, signature] = [join(folder, 'digest'), join(folder, 'signature')]
    await writeFile(digest, createHash('sha256').update(identity).digest())
    const files = ['--input-file', digest, '--output-file', signature]
    onToken('--sign', '--mechanism', 'ECDSA', '--id', id, '--signature-format', 'rs', ...files)
    return Uint8Array.from(await readFile(signature))
  }
  const stream = memory()
  await using sdk = await openSdk({ signingKey: { verifyingKey, sign }, annotators: [source()], stream })
  for (let call = 0; call < 3; call++) await sdk.create(utf8('hello'))
  for (const message of stream.messages) {
    await verifyMessage(message, { keyring: [verifyingKey], payload: utf8('hello') })
  }
  expect(stream.messages).toHaveLength(3)
})
