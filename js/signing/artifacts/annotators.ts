// Exports the package alvarium-artifacts: annotators that check files, for Node.

export { type MockOptions, mock } from '../annotators/mock.js'
export { type ChecksumInput, type ChecksumOptions, checksum } from './checksum.js'
export type { ArtifactHash } from './file.js'
export type { UnaskedReason, UncheckedPart as Unasked } from './locks/package.js'
export type { Vulnerability } from './osv.js'
export { type SbomInput, type SbomOptions, sbom } from './sbom.js'
export type { Links } from './source-code.js'
export { type SourceCodeInput, type SourceCodeOptions, sourceCode } from './source-code.js'
export {
  findVulnerabilities,
  type VulnerabilityInput,
  type VulnerabilityOptions,
  type VulnerabilityReport,
  vulnerability,
} from './vulnerability.js'
