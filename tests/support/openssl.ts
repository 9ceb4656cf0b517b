import { execFileSync } from 'node:child_process'

export async function openssl(args: readonly string[], input: string): Promise<Uint8Array<ArrayBuffer>> {
  return Uint8Array.from(execFileSync('openssl', args, { input, stdio: ['pipe', 'pipe', 'pipe'] }))
}
