import { textIfAny, textIn } from './input/text.js'

export interface BrokerOptions {
  readonly url?: string
  readonly username?: string
  readonly passwordFile?: string
  readonly ca?: string
  readonly qos: string
}

/** Converts command-line options to the connection options of `mqtt` and `subscribe`. */
export async function connectionOf(url: string, { username, passwordFile, ca, qos }: BrokerOptions) {
  const password = await textIfAny('--password-file', passwordFile)
  return {
    url,
    qos: Number(qos) as 0 | 1 | 2,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password: password.replace(/\r?\n$/, '') }),
    ...(ca !== undefined && { tls: { ca: await textIn('--ca', ca) } }),
  }
}
