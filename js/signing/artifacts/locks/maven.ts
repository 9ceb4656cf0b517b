import type { LockReader, Package } from './package.js'

interface Element {
  readonly name: string
  readonly children: Element[]
  text: string
}

const EFFECTIVE = 'let Maven write it out: mvn help:effective-pom -Doutput=pom.xml'
/** Maximum depth of nested properties: the value of a property can refer to other properties. */
const MAX_DEPTH = 10
/** Maximum length of a name or version, in characters. Usual names have a few dozen. */
const MAX_VALUE_LENGTH = 1000

/**
 * Reads every dependency in a pom.xml, including those of plugins and profiles, and resolves properties.
 * Refuses a version that only another POM states. Transitive packages of dependencies, plugins and the parent
 * are not included.
 */
export const mavenPom: LockReader = async (xml) => {
  const project = await parsePom(xml)
  const resolve = propertyResolver(propertiesOf(project))
  const found = findAll(project, 'dependency').map((dependency) => {
    const [group, artifact, version] = ['groupId', 'artifactId', 'version'].map((name) => {
      const value = child(dependency, name)?.text.trim()
      return value === undefined ? undefined : resolve(value)
    })
    if (group === undefined || artifact === undefined) {
      throw new Error('dependency: expected groupId and artifactId')
    }
    return { name: `${group}:${artifact}`, version }
  })
  const managed = new Map(found.flatMap(({ name, version }) => (version ? [[name, version] as const] : [])))
  return {
    packages: found.map(({ name, version }) => packageOf(name, version ?? managed.get(name))),
    gaps: describeTransitive(project).map((description) => ({ reason: 'transitive', what: description })),
  }
}

function describeTransitive(project: Element): string[] {
  const parts = [
    ['dependency', 'what its dependencies bring'],
    ['plugin', 'its plugins, and what they bring'],
    ['extension', 'its extensions, and what they bring'],
    ['parent', 'what its parent brings'],
    ['module', 'its modules, which have files of their own'],
  ] as const
  return parts.filter(([name]) => findAll(project, name).length > 0).map(([, description]) => description)
}

function packageOf(name: string, version: string | undefined): Package {
  if (version !== undefined && /^[\w.+-]+$/.test(version)) return { ecosystem: 'Maven', name, version }
  throw new Error(`${name}: expected one version, got ${version ?? 'none'}: ${EFFECTIVE}`)
}

function propertiesOf(project: Element): ReadonlyMap<string, string> {
  const parent = child(project, 'parent')
  const properties = child(project, 'properties')?.children ?? []
  const coordinates = ['groupId', 'artifactId', 'version'].flatMap((name) => {
    const ofParent = parent && child(parent, name)
    const value = child(project, name) ?? ofParent
    return [
      [`project.${name}`, value?.text],
      [`project.parent.${name}`, ofParent?.text],
    ] as const
  })
  const known = [...properties.map(({ name, text }) => [name, text] as const), ...coordinates]
  return new Map(known.flatMap(([name, text]) => (text === undefined ? [] : [[name, text.trim()] as const])))
}

/**
 * Returns a function that replaces properties by their values. Each property is resolved once, and its length is
 * bounded: a few properties that each contain another one many times would otherwise grow exponentially.
 */
function propertyResolver(properties: ReadonlyMap<string, string>): (value: string) => string {
  const known = new Map<string, string>()
  const property = (name: string, depth: number): string => {
    const found = properties.get(name)
    if (found === undefined || depth === MAX_DEPTH) {
      throw new Error(`\${${name}}: needs a property of this name in the file: ${EFFECTIVE}`)
    }
    const value = known.get(name) ?? filled(found, depth + 1)
    known.set(name, value)
    return value
  }
  const filled = (value: string, depth: number): string => {
    assertShort(value)
    const text = value.replace(/\$\{([^}]*)\}/g, (_, name: string) => property(name, depth))
    assertShort(text)
    return text
  }
  return (value) => filled(value, 0)
}

function assertShort({ length }: string): void {
  if (length <= MAX_VALUE_LENGTH) return
  throw new Error(`expected names and versions of at most ${MAX_VALUE_LENGTH} characters, got ${length}`)
}

const child = ({ children }: Element, wanted: string) => children.find(({ name }) => name === wanted)

/** Returns the elements with a name at any depth, in the order of the document. */
function findAll(element: Element, wanted: string): Element[] {
  const found: Element[] = []
  const left = [element]
  for (let one = left.pop(); one; one = left.pop()) {
    if (one.name === wanted) found.push(one)
    else for (const child of [...one.children].reverse()) left.push(child)
  }
  return found
}

/** Parses a POM. @throws Error if the text is not a POM, or uses declared entities, which are not resolved */
async function parsePom(xml: string): Promise<Element> {
  const { default: sax } = await import('sax')
  const parser = sax.parser(true, { position: true })
  const top: Element = { name: '', children: [], text: '' }
  const open = [top]
  parser.onerror = (error) => {
    throw error
  }
  parser.onopentag = ({ name }) => {
    // Ignore the namespace prefix of a name, because Maven 4 accepts any prefix.
    const element = { name: name.slice(name.indexOf(':') + 1), children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  }
  parser.onclosetag = () => void open.pop()
  parser.ontext = parser.oncdata = (text) => {
    const element = open.at(-1)
    if (element) element.text += text
  }
  parser.write(xml).close()
  const project = child(top, 'project')
  if (project) return project
  throw new Error('needs the element project')
}
