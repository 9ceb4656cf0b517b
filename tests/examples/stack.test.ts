import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from '../../examples/guide/build/pages.mjs'
import { blocksOf } from '../guide/blocks.js'

interface Service {
  readonly environment?: Readonly<Record<string, string | number>>
  readonly build?: { readonly target: string }
  readonly command?: readonly string[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const { services } = parse(read('examples/stack/compose.yaml')) as { services: Record<string, Service> }
const those = (has: (service: Service) => unknown) =>
  Object.keys(services).filter((name) => has(services[name] as Service))

describe('the Docker example', () => {
  // claim: examples-1
  it("has the Mosquitto settings of the guide's page on production", () => {
    const isOfOneMachine = /^(#|listener|protocol|\w+file|allow_anonymous|persistence_location)|^$/
    const settings = (text: string) => text.split('\n').filter((line) => !isOfOneMachine.test(line))
    const guide = blocksOf('examples/guide/production.md').find(({ mark }) => mark === 'mosquitto')
    const inDocker = (guide?.code ?? '').replace('log_dest syslog', 'log_dest stdout')
    expect(settings(read('examples/stack/mosquitto.conf'))).toEqual(settings(inDocker))
  })

  // claim: examples-3
  it("has the database roles and rights of the guide's page on stores", () => {
    const statements = (text: string) => text.split('\n').filter((line) => !/^(--|$)/.test(line))
    const guide = (name: string) =>
      blocksOf('examples/guide/store-operating.md').find(({ mark }) => mark === name)?.code ?? ''
    const roles = read('examples/stack/roles.sql').replaceAll(/ password '\w+'/g, '')
    expect(statements(roles)).toEqual(statements(guide('roles')))
    expect(statements(read('examples/stack/grants.sql'))).toEqual(statements(guide('grants')))
  })

  // claim: store-operating-4
  it.each([
    ['ingester', 'alvarium_ingester'],
    ['dashboard', 'alvarium_reader'],
  ])('lets the %s connect to the database as %s, with the password of that role', (name, role) => {
    const { command = [], environment = {} } = services[name] as Service
    const urls = [...command, ...Object.values(environment)].filter((text) => /postgres:/.test(`${text}`))
    expect(urls).toEqual([expect.stringContaining(`postgres://${role}@database/alvarium`)])
    const [, password] = read('examples/stack/roles.sql').match(new RegExp(`role ${role} .*'(\\w+)'`)) ?? []
    expect(environment['PGPASSWORD']).toBe(password)
  })

  it("passes the owner's password only to the database and to the programs that create tables and rights", () => {
    const owner = services['database']?.environment?.['POSTGRES_PASSWORD']
    expect(those(({ environment = {} }) => Object.values(environment).includes(owner as string))).toEqual([
      'database',
      'tables',
      'grants',
    ])
  })

  // claim: examples-2
  it('publishes its ports on 127.0.0.1 only', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? [])
    expect(ports.map((port) => port.split(':')[0])).toEqual(Array(4).fill('127.0.0.1'))
  })

  it('mounts the private key only in the program that creates the key and, read-only, in the service', () => {
    expect(those(({ volumes = [] }) => volumes.some((one) => one.startsWith('private:')))).toEqual([
      'keys',
      'service',
    ])
    expect(services['service']?.volumes).toEqual(['private:/private:ro'])
  })

  it.each(['service', 'dashboard', 'page'])(
    'copies into the image of the %s all files that the program runs and imports',
    (name) => {
      const { build, command = [] } = services[name] as Service
      const stage = read('examples/stack/Dockerfile')
        .split(/^FROM /m)
        .find((text) => text.includes(` AS ${build?.target}\n`))
      const copied = [...(stage ?? '').matchAll(/^COPY (examples\/\S+) (\S+)$/gm)].map(
        ([, from = '', to]) => {
          expect(to).toBe(from)
          return from
        },
      )
      const missing = [...reachedFrom(command[1] ?? '')].filter(
        (file) => !copied.some((path) => file.startsWith(path)),
      )
      expect(missing).toEqual([])
    },
  )
})

/** Returns a script, and all that it imports by a path, also dynamically. */
function reachedFrom(script: string, reached = new Set<string>()): Set<string> {
  if (reached.has(script)) return reached
  reached.add(script)
  for (const [, path = ''] of read(script).matchAll(/'(\.\.?\/[^']+\.mjs)'/g))
    reachedFrom(join(dirname(script), path), reached)
  return reached
}
