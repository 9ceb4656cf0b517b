import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Signer } from 'alvarium-sdk'

/** Path of SoftHSM's library on Debian and others, which speaks PKCS#11 as hardware does. */
const [library] = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
].filter((path) => existsSync(path))

/** Creates a new token, and signers with keys that never leave it. */
export async function startToken() {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-hsm-'))
  await mkdir(join(folder, 'tokens'))
  const conf = join(folder, 'softhsm2.conf')
  await writeFile(conf, `directories.tokendir = ${folder}/tokens\nlog.level = ERROR\n`)
  const env = { ...process.env, SOFTHSM2_CONF: conf }
  const token = ['--free', '--label', 'edge-7', '--pin', '1234', '--so-pin', '1234']
  execFileSync('softhsm2-util', ['--init-token', ...token], { env, stdio: 'ignore' })
  const onToken = (...args: string[]) =>
    execFileSync('pkcs11-tool', ['--module', library as string, '--login', '--pin', '1234', ...args], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  /** Creates a key pair on the token, and returns its signer. @param type - as pkcs11-tool has it, such as `EC:prime256v1` */
  function signerOf(type: string, id: string): Signer {
    onToken('--keypairgen', '--key-type', type, '--id', id)
    const verifyingKey = Uint8Array.from(onToken('--read-object', '--type', 'pubkey', '--id', id))
    const sign: Signer['sign'] = async (identity) => {
      const [digest, signature] = [join(folder, 'digest'), join(folder, 'signature')]
      await writeFile(digest, createHash('sha256').update(identity).digest())
      const files = ['--input-file', digest, '--output-file', signature]
      onToken('--sign', '--mechanism', 'ECDSA', '--id', id, '--signature-format', 'rs', ...files)
      return Uint8Array.from(await readFile(signature))
    }
    return { verifyingKey, sign }
  }
  return { signerOf, stop: () => rm(folder, { recursive: true }) }
}
