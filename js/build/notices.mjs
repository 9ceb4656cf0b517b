// Writes dist/THIRD-PARTY-NOTICES.txt of a package: the licences of third-party code in the bundles and the
// WebAssembly. Dependencies that npm installs bring their own notices.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { crates } from './crates.mjs'

/** Head of the notices: parts that npm and Cargo do not list. All have the Apache License 2.0. */
const HEAD = `Others' code in alvarium-sdk: in its JavaScript (dist), in its WebAssembly (dist/*.wasm, and as text
in dist/foundation/modules and dist/browser), and in its schemas of SBOMs. Made by js/build/notices.mjs.

Under the Apache License 2.0, whose text is the file LICENSE of this package:
- Rust's libraries core and alloc: The Rust Project Developers, https://github.com/rust-lang/rust
- the schemas of SPDX: The SPDX project, https://github.com/spdx/spdx-spec
- the schemas of CycloneDX: Copyright (c) OWASP Foundation, https://github.com/CycloneDX/specification
`
const LICENCE = /^(un)?(licen[cs]e|copying|copyright|notice)/i

/** @typedef {{ name: string, version: string, licence: string, folder: string }} Part */

/**
 * Returns the npm packages with a module in a bundle, without duplicates.
 *
 * @param {readonly string[]} modules paths of the modules in the bundle
 * @returns {Part[]}
 */
export function packagesOf(modules) {
  const folders = modules.flatMap((id) => id.match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? [])
  return [...new Set(folders)].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return { name, version, licence: license, folder }
  })
}

/**
 * Writes the third-party notices of a published package.
 *
 * @param {import('./package/names.mjs').PACKAGES[number]} one
 * @param {readonly string[]} modules paths of the modules in the bundles of the package
 * @throws {Error} when a third-party package has no licence file
 */
export function writeNotices({ out, files }, modules) {
  const inWasm = files.includes('dist/core.wasm') ? packagesInWasm() : []
  const parts = [...packagesOf(modules), ...inWasm].sort((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1))
  const sections = new Map()
  for (const part of parts) {
    const text = licencesIn(part).join('\n\n')
    const { copyright, terms } = splitLicence(text)
    // Compare words without line breaks, because packages wrap the same terms differently.
    const words = terms.replace(/\s+/g, ' ')
    const section = sections.get(words) ?? { terms, titles: new Map() }
    section.titles.set(copyright, [...(section.titles.get(copyright) ?? []), titleOf(part)])
    sections.set(words, section)
  }
  const rule = '='.repeat(80)
  const written = [...sections.values()].map(({ terms, titles }) => {
    const holders = [...titles].map(([copyright, names]) =>
      `${[...new Set(names)].join('\n')}\n\n${copyright}`.trim(),
    )
    return `${rule}\n${[...holders, terms].join('\n\n')}\n`
  })
  writeFileSync(join(out, 'dist/THIRD-PARTY-NOTICES.txt'), [HEAD, ...written].join('\n'))
}

/**
 * Splits a licence into its copyright lines and its terms. Most licences differ only in the copyright holder,
 * so the notices list all holders above each text of terms.
 *
 * @param {string} text
 */
function splitLicence(text) {
  const at = Math.max(text.search(/^Permission (is hereby granted|to use)/m), 0)
  return { copyright: text.slice(0, at).trim(), terms: text.slice(at) }
}

const titleOf = ({ name, version, licence }) => `${name} ${version} (${licence})`

/**
 * Returns the third-party crates in the WebAssembly modules.
 *
 * @returns {Part[]}
 */
function packagesInWasm() {
  const registries = join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'registry/src')
  return crates()
    .filter(({ isOwn }) => !isOwn)
    .map(({ name, version, licence }) => {
      const folders = readdirSync(registries).map((one) => join(registries, one, `${name}-${version}`))
      const folder = folders.find((one) => existsSync(one))
      if (!folder) throw new Error(`${name} ${version}: expected its source below ${registries}, got none`)
      return { name, version, licence, folder }
    })
}

/** Reads a package's licence files. Omits the Apache License, which LICENSE contains, if others are present. */
function licencesIn({ name, version, folder }) {
  const all = readdirSync(folder)
    .filter((file) => LICENCE.test(file))
    .sort()
  if (all.length === 0) throw new Error(`${name} ${version}: expected a licence in ${folder}, got none`)
  const others = all.filter((file) => !/apache/i.test(file))
  return (others.length > 0 ? others : all).map((file) =>
    readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim(),
  )
}
