import { claimsOf } from './page.js'

const CHECKING = 'tests/records/checking.test.ts'
const ALIGNING = 'tests/records/aligning.test.ts'
const SPLITTING = 'tests/records/splitting.test.ts'
const ENCODINGS = 'tests/records/encodings.test.ts'
const CLI = 'tests/cli/check.test.ts'

export const RECORDS = claimsOf('examples/guide/records.md', [
  [
    'It names the line of each record that is not as it was signed.',
    CLI,
    'names the line of each that is not, and the message that was signed about it',
  ],
  [
    'Records are compared byte by byte, whatever the encoding.',
    ENCODINGS,
    'is compared byte by byte: an é that became an è is found',
  ],
  ['UTF-16, which Excel calls Unicode text, is refused', ENCODINGS, 'is refused with what to do: %s'],
  [
    'Where the value of a column is not UTF-8, it is compared and shown as Latin-1.',
    ENCODINGS,
    'is compared in the order of a column, whose name and values are not UTF-8 either',
  ],
  [
    'the records around it are as they were signed; another one stood in its place',
    CHECKING,
    'has each difference named by its line, where a record of several lines counts as these',
  ],
  [
    'it was signed more often than it is there: it was signed again, or a copy of it was removed',
    CHECKING,
    'shows what was signed twice, and not what only came twice',
  ],
  [
    'Where two records are gone and one is new, nobody can know which one it replaced.',
    CHECKING,
    'says no more than can be known where other than as many records are new as are gone',
  ],
  [
    'A message that does not verify is reported first, and counts as not signed.',
    CHECKING,
    'is compared with nothing of a message that does not verify',
  ],
  [
    'unknown: a signer that is not known, or a file that cannot be read',
    CLI,
    'cannot decide by what a stranger signed, and tells of it',
  ],
  [
    'Line ends are not part of a record, so a file may change between \\n and \\r\\n.',
    CHECKING,
    'has nothing to find when it is as it was, whatever its line ends and with a byte order mark',
  ],
  [
    'The hash of each record comes from its bundle.',
    CHECKING,
    'is compared by the hash that each bundle names',
  ],
  [
    'that of the first bundle, or the one that --action names',
    CHECKING,
    'is compared with the bundles of one action: that of the first, or the one that was asked for',
  ],
  [
    'compares the records in that order, numbers before texts',
    CHECKING,
    'may have been sorted since: in the order of a column it is compared as before',
  ],
  ['separated by commas, semicolons, tabs or bars', SPLITTING, 'splits CSV into records'],
  [
    'How many are missing is always exact.',
    ALIGNING,
    'pairs each record with an equal one while there are any, and keeps the order of those in order',
  ],
  [
    'There may be at most 4,000,000 records',
    CHECKING,
    'may not have more records than are allowed, nor may more be signed',
  ],
])
