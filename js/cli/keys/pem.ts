/** Encodes a key in PEM (RFC 7468), with base64 in lines of 64 characters. */
export function pem(label: string, der: Uint8Array): string {
  const base64 = Buffer.from(der).toString('base64')
  return [`-----BEGIN ${label}-----`, ...(base64.match(/.{1,64}/g) ?? []), `-----END ${label}-----`, ''].join(
    '\n',
  )
}
