/**
 * The kinds of annotations that the Alvarium SDKs know, by the names of the functions that make their annotators here. Yours
 * may have any other; of those, and of some here, consumers by the Java and Python SDKs know nothing.
 *
 * @example
 * ```ts
 * annotations.find(({ kind }) => kind === KINDS.sourceCode)
 * ```
 */
export const KINDS = {
  source: 'src',
  tls: 'tls',
  tpm: 'tpm',
  pki: 'pki',
  pkiHttp: 'pki-http',
  checksum: 'checksum',
  sourceCode: 'source-code',
  vulnerability: 'vulnerability',
  sbom: 'sbom',
  mock: 'mock',
} as const

/** One of {@link KINDS}. */
export type Kind = (typeof KINDS)[keyof typeof KINDS]
