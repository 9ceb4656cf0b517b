// Imports every entry with code, except alvarium-sdk/opentelemetry, which needs its own package.

import { sbom } from 'alvarium-artifacts'
import { checkBroker } from 'alvarium-command/doctor'
import { AlvariumError, generateKey, mqtt, openSdk, subscribe } from 'alvarium-sdk'
import { Completeness } from 'alvarium-sdk/completeness'
import { fromConfig } from 'alvarium-sdk/config'
import { useCore } from 'alvarium-sdk/core'
import { file } from 'alvarium-sdk/file'
import { signRequest, verifyRequest } from 'alvarium-sdk/http'
import { outbox } from 'alvarium-sdk/outbox'
import { makePack } from 'alvarium-sdk/packs'
import { pool } from 'alvarium-sdk/pool'
import { check } from 'alvarium-sdk/records'
import { BundleGraph } from 'alvarium-sdk/score'
import { sealSet } from 'alvarium-sdk/sets'
import { readTrust } from 'alvarium-sdk/trust'
import { verifyMessage } from 'alvarium-sdk/verify'

export const everything = {
  AlvariumError,
  generateKey,
  mqtt,
  openSdk,
  subscribe,
  sbom,
  Completeness,
  fromConfig,
  checkBroker,
  file,
  signRequest,
  verifyRequest,
  check,
  sealSet,
  makePack,
  BundleGraph,
  outbox,
  pool,
  useCore,
  readTrust,
  verifyMessage,
}
