// Reads results of vulnerability scanners in JSON: https://google.github.io/osv-scanner/output/#json and
// https://trivy.dev/docs/latest/configuration/reporting/#json

import { parseJson } from '../../foundation/base/options/json-or-yaml.js'
import { shownPath } from '../../foundation/base/text/text.js'
import { readText } from './file.js'
import { assertMembers, type Members, type UncheckedPart } from './locks/package.js'
import type { Vulnerability } from './osv.js'
import { listOf } from './sbom-document.js'

const MAX_RESULTS_BYTES = 64 * 1024 * 1024

export interface Scan {
  readonly found: readonly Vulnerability[]
  readonly gaps: readonly UncheckedPart[]
}

export async function readScan(path: string): Promise<Scan> {
  const text = await readText(path, MAX_RESULTS_BYTES)
  const document = assertMembers(await parseJson(text, 'results'), 'results')
  const scan = document['SchemaVersion'] === 2 ? fromTrivy(document) : fromOsvScanner(document)
  return { ...scan, gaps: scan.gaps.map((gap) => ({ ...gap, file: shownPath(path) })) }
}

interface FoundAndGaps {
  readonly found: readonly Vulnerability[]
  readonly gaps: readonly Omit<UncheckedPart, 'file'>[]
}

/** Reads results of osv-scanner. An empty list counts as unchecked: it does not show which packages were read. */
function fromOsvScanner({ results }: Members): FoundAndGaps {
  if (!Array.isArray(results)) {
    throw new Error('expected results of osv-scanner --format json or trivy --format json, got other JSON')
  }
  const packages = listOf(results, 'results').flatMap(({ packages = [] }) => listOf(packages, 'packages'))
  const found = packages.map((one): Vulnerability => {
    const { ecosystem, name, version } = assertMembers(one['package'], 'package')
    const ids = listOf(one['vulnerabilities'] ?? [], 'vulnerabilities').map(({ id }) => String(id))
    return { ecosystem: String(ecosystem), name: String(name), version: String(version), ids }
  })
  const description = 'no package: run osv-scanner with --all-packages'
  return {
    found: found.filter(({ ids }) => ids.length > 0),
    gaps: packages.length > 0 ? [] : [{ reason: 'unscanned', what: description }],
  }
}

/** Reads results of Trivy. An operating system after its end of life counts as unchecked: it has no advisories. */
function fromTrivy({ Results = [], Metadata = {} }: Members): FoundAndGaps {
  const results = listOf(Results ?? [], 'Results').filter(({ Class }) =>
    /^(lang|os)-pkgs$/.test(String(Class)),
  )
  const { Family, Name, EOSL } = assertMembers(assertMembers(Metadata, 'Metadata')['OS'] ?? {}, 'OS')
  const description = 'no package: run trivy with --scanners vuln --list-all-pkgs'
  return {
    found: results.flatMap(({ Type, Vulnerabilities }) =>
      listOf(Vulnerabilities ?? [], 'Vulnerabilities').map(
        ({ VulnerabilityID, PkgName, InstalledVersion }): Vulnerability => ({
          ecosystem: String(Type),
          name: String(PkgName),
          version: String(InstalledVersion),
          ids: [String(VulnerabilityID)],
        }),
      ),
    ),
    gaps: [
      ...(results.length > 0 ? [] : [{ reason: 'unscanned' as const, what: description }]),
      ...(EOSL === true
        ? [{ reason: 'ecosystem' as const, what: `${Family} ${Name}, whose support has ended` }]
        : []),
    ],
  }
}
