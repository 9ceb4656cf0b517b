// Names an annotator of files in a config, looks for vulnerabilities, and compares the error classes of two packages.
import { findVulnerabilities } from 'alvarium-artifacts'
import { AlvariumError, generateKey, memory } from 'alvarium-sdk'
import { fromConfig } from 'alvarium-sdk/config'

const config = { annotators: ['checksum'], stream: { type: 'here' } }
const { annotators } = await fromConfig(config, { keys: generateKey(), streams: { here: () => memory() } })
const { vulnerabilities } = await findVulnerabilities(import.meta.dirname, {
  url: 'http://127.0.0.1:1',
}).catch((error) => ({ vulnerabilities: [], error }))
const error = await findVulnerabilities(import.meta.dirname, { accept: ['?'] }).catch((error) => error)
console.log(annotators[0].kind, vulnerabilities.length, error instanceof AlvariumError)
