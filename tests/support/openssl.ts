import { execFileSync } from 'node:child_process'

/** Returns the output of openssl's command for `input`. */
export async function openssl(args: readonly string[], input: string): Promise<Uint8Array<ArrayBuffer>> {
  return Uint8Array.from(execFileSync('openssl', args, { input, stdio: ['pipe', 'pipe', 'pipe'] }))
}
