import { AlvariumError } from '../../base/errors.js'

/** What looks at files where there are none, behind `#artifacts`. */
export function checksum(): never {
  throw noFiles('checksum')
}

export function sourceCode(): never {
  throw noFiles('source-code')
}

export function vulnerability(): never {
  throw noFiles('vulnerability')
}

export function sbom(): never {
  throw noFiles('sbom')
}

function noFiles(kind: string): AlvariumError {
  const text = `expected kinds that look at no files, which only Node has, got ${kind}`
  return new AlvariumError('CONFIG_INVALID', text)
}
