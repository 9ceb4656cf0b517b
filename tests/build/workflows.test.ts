import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { STEPS } from '../running/steps.mjs'

interface Step {
  uses?: string
  run?: string
  with?: Record<string, unknown>
}
interface Job {
  permissions?: Record<string, string>
  'timeout-minutes'?: number
  steps: Step[]
}

const root = new URL('../../', import.meta.url)
const folder = new URL('.github/workflows/', root)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')

describe.each(readdirSync(folder))('the workflow %s', (name) => {
  const { on, permissions, jobs } = parse(read(name)) as {
    on: Record<string, unknown>
    permissions: Record<string, string>
    jobs: Record<string, Job>
  }
  const all = Object.values(jobs)
  const steps = all.flatMap(({ steps }) => steps)

  it('starts only on the events "push", "pull_request" and "schedule"', () => {
    const harmless = ['push', 'pull_request', 'schedule']
    expect(Object.keys(on).filter((event) => !harmless.includes(event))).toEqual([])
  })

  it('gives all its jobs no more than read access by default, and leaves no credentials in a checkout', () => {
    expect([{}, { contents: 'read' }]).toContainEqual(permissions)
    const clones = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
    expect(clones.map((step) => step.with?.['persist-credentials'])).toEqual(clones.map(() => false))
  })

  it('has its actions pinned to a commit, with their versions in comments', () => {
    const lines = read(name).match(/uses: .*/g) ?? []
    expect(lines).toHaveLength(steps.filter(({ uses }) => uses).length)
    expect(
      lines.filter((line) => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line)),
    ).toEqual([])
  })

  /** GitHub inserts such text into the script before a shell reads it, so a branch's name could run code. */
  it('has no GitHub expressions in its scripts, because anyone may choose their values', () => {
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([])
  })

  it('sets a timeout for every job', () => {
    expect(all.map((job) => job['timeout-minutes']).filter((minutes) => !minutes)).toEqual([])
  })
})

it('the release job with an identity token runs only npm publish, and no code that it installs', () => {
  const { jobs } = parse(read('release.yml')) as { jobs: Record<string, Job> }
  const trusted = Object.entries(jobs).filter(([, { permissions }]) => permissions?.['id-token'])
  expect(trusted.map(([name]) => name)).toEqual(['publish'])
  const [[, publish]] = trusted as [[string, Job]]
  expect(publish.permissions).toEqual({ 'id-token': 'write' })
  expect(publish.steps.map(({ uses = '', run }) => run ?? uses.split('@')[0])).toEqual([
    'actions/setup-node',
    'actions/download-artifact',
    'for name in sdk artifacts command; do npm publish ./alvarium-$name-*.tgz --provenance --access public; done',
  ])
})

it('CI installs the Debian packages that the tests need, except browsers that the runner already has', () => {
  const ready = ['tools', 'postgres']
    .map((name) => readFileSync(new URL(`tests/running/${name}.mjs`, root), 'utf8'))
    .join('\n')
  const asked = [...ready.matchAll(/(?:ensure\(\[.+?\], |install\()\['([\w-]+)'\]/g)].map(([, name]) => name)
  const [, installed = ''] = read('ci.yml').match(/apt-get install .*\n\s+(.+)/) ?? []
  expect([...installed.split(' '), 'chromium', 'firefox-esr'].sort()).toEqual(asked.sort())
})

it('CI runs the release tool with --dry-run on every change', () => {
  const { release } = STEPS
  expect(release?.commands()).toMatchObject([{ args: [expect.any(String), '--dry-run'] }])
})
