import { COMPLETENESS, FORMAT_OF_CHECKPOINTS } from './claims/completeness.js'
import { DELIVERY } from './claims/delivery.js'
import { EDGE } from './claims/edge.js'
import { FAILING } from './claims/failing.js'
import { FORMAT } from './claims/format.js'
import { MAKING } from './claims/making.js'
import { FORMAT_OF_PACKS, PACKED } from './claims/packs.js'
import type { Claim } from './claims/page.js'
import { README } from './claims/readme.js'
import { RECORDS } from './claims/records.js'
import { SECURITY } from './claims/security.js'
import { SECURITY_OF_MESSAGES } from './claims/security-messages.js'
import { SECURITY_OF_SURROUNDINGS } from './claims/security-surroundings.js'
import { FORMAT_OF_SETS, SETS } from './claims/sets.js'
import { SOURCES } from './claims/sources.js'
import { STACK } from './claims/stack.js'
import { STORE, STORE_OPERATING } from './claims/store.js'
import { SECURITY_OF_TRUST, TRUST } from './claims/trust.js'
import { USING } from './claims/using.js'
import { JUDGING, VERIFYING } from './claims/verifying.js'

/** What users rely on, page by page, each with the test that shows it. A new claim gets a line here. */
export const CLAIMS: readonly Claim[] = [
  ...README,
  ...SECURITY,
  ...SECURITY_OF_MESSAGES,
  ...SECURITY_OF_SURROUNDINGS,
  ...FORMAT,
  ...FORMAT_OF_CHECKPOINTS,
  ...DELIVERY,
  ...VERIFYING,
  ...JUDGING,
  ...TRUST,
  ...SECURITY_OF_TRUST,
  ...RECORDS,
  ...SETS,
  ...FORMAT_OF_SETS,
  ...SOURCES,
  ...PACKED,
  ...FORMAT_OF_PACKS,
  ...COMPLETENESS,
  ...MAKING,
  ...USING,
  ...FAILING,
  ...EDGE,
  ...STACK,
  ...STORE,
  ...STORE_OPERATING,
]
