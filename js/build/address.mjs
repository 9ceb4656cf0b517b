// Says where the package is at home, in the package.json of this folder: `repository`, `homepage` and `bugs`, by which
// npm's page finds what README links to. Until then they name a host that cannot exist.
//
//   npm run address -- https://github.com/OWNER/alvarium-sdk

import { execFileSync } from 'node:child_process'

const [given = ''] = process.argv.slice(2)
const address = given.replace(/(\.git)?\/*$/, '')
if (!URL.canParse(address) || new URL(address).protocol !== 'https:' || new URL(address).pathname === '/') {
  console.error(`address: expected the https URL of the repository, got ${given || 'nothing'}`)
  process.exit(1)
}
const fields = {
  'repository.type': 'git',
  'repository.url': `git+${address}.git`,
  homepage: `${address}#readme`,
  'bugs.url': `${address}/issues`,
}
execFileSync('npm', ['pkg', 'set', ...Object.entries(fields).map(([name, value]) => `${name}=${value}`)], {
  stdio: 'inherit',
})
