import { textIn } from './input/text.js'

/** Options of a connection to a broker. */
export interface BrokerOptions {
  readonly url?: string
  readonly username?: string
  readonly passwordFile?: string
  readonly ca?: string
  readonly qos: string
}

/**
 * Returns the options for `mqtt` and `subscribe`.
 *
 * @throws AlvariumError `FILE_UNREADABLE` when a file cannot be read
 */
export async function connectionOf(url: string, { username, passwordFile, ca, qos }: BrokerOptions) {
  const password = passwordFile === undefined ? undefined : await textIn('--password-file', passwordFile)
  return {
    url,
    qos: Number(qos) as 0 | 1 | 2,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password: password.replace(/\r?\n$/, '') }),
    ...(ca !== undefined && { tls: { ca: await textIn('--ca', ca) } }),
  }
}
