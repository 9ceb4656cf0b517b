// Asks for what wants a package that is not installed.
import { findVulnerabilities } from 'alvarium-sdk/annotators'

await findVulnerabilities(import.meta.dirname).catch(({ code, message }) => console.log(code, message))
