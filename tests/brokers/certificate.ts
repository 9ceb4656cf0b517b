import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Returns a new self-signed certificate for 127.0.0.1 from openssl, valid for a day. */
export function selfSigned(): { key: string; cert: string } {
  const directory = mkdtempSync(join(tmpdir(), 'alvarium-certificate-'))
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1']
  try {
    execFileSync('openssl', [...request, ...subject, '-keyout', key, '-out', cert], { stdio: 'pipe' })
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(directory, { recursive: true })
  }
}
