import { members } from './package.js'

/**
 * The names of what a package.json needs, as registries have them. What is optional may have been found nowhere; what lies in a folder
 * is the project's own.
 *
 * @throws Error when it is none
 */
export function declaredIn(json: string): string[] {
  const manifest = members(JSON.parse(json), 'package.json')
  const [needed, dev, optional] = ['dependencies', 'devDependencies', 'optionalDependencies'].map((kind) =>
    Object.entries(members(manifest[kind] ?? {}, kind)),
  ) as [Entry[], Entry[], Entry[]]
  const names = new Set(optional.map(([name]) => name))
  return [...needed, ...dev]
    .filter(([name, range]) => !names.has(name) && !OWN.test(String(range)))
    .map(([name, range]) => ALIAS.exec(String(range))?.[1] ?? name)
}

type Entry = [name: string, range: unknown]

const OWN = /^(workspace|file|link|portal):|^[./~]/
/** `npm:real@^1.0.0` */
const ALIAS = /^npm:(@?[^@]+)/
