import { openStore } from 'alvarium-sdk/store'
import { expect, it } from 'vitest'
import { failure } from '../support/failure.js'
import { keyring } from '../support/sdk.js'

/** Errors of PostgreSQL, with the resource that an operator must check. */
const REASONS = [
  ['53100', 'could not extend file: No space left on device', 'free space on the disk of the database'],
  ['53300', 'sorry, too many clients already', 'a free connection to the database'],
  ['53200', 'out of memory', 'a database with enough memory and disk'],
  ['42501', 'permission denied for table head', 'a role with the privileges for this statement'],
  [
    '25006',
    'cannot execute UPDATE in a read-only transaction',
    'a database that can be written, and no replica',
  ],
  [
    '25P03',
    'terminating connection due to idle-in-transaction timeout',
    'the next statement of the transaction in time',
  ],
  ['3D000', 'database "x" does not exist', 'the name of a database that exists'],
  ['28P01', 'password authentication failed', 'a user and password that the database accepts'],
  ['42P01', 'relation does not exist', 'the database to execute the statement'],
  ['57P03', 'the database system is starting up', 'the database to answer'],
  ['08006', 'connection failure', 'the database to answer'],
] as const

it.each(REASONS)(
  'the error %s of a database (%s) is explained with "expected %s"',
  async (code, text, expected) => {
    const query = async () => {
      throw Object.assign(new Error(text), { code })
    }
    const { code: ours, message } = await failure(() => openStore({ query }, { keyring }))
    expect(ours).toBe('STORE_FAILED')
    expect(message).toContain(`expected ${expected}`)
    expect(message).toContain(text)
  },
)
