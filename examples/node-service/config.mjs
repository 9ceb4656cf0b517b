/** Reads the configuration from environment variables, which laptops, containers and CI can set. */

/** @param {string} name */
function required(name) {
  const value = process.env[name]
  if (!value) throw new Error(`${name}: expected a value in the environment`)
  return value
}

/** @param {string} name @param {number} fallback */
function number(name, fallback) {
  const value = Number(process.env[name] ?? fallback)
  if (!Number.isInteger(value) || value < 0) throw new Error(`${name}: expected a whole number`)
  return value
}

const broker = () => ({
  url: required('BROKER_URL'),
  topic: process.env.TOPIC ?? 'alvarium',
  username: process.env.BROKER_USERNAME,
  password: process.env.BROKER_PASSWORD,
})

export const serviceConfig = () => ({
  broker: broker(),
  keyFile: required('KEY_FILE'),
  host: process.env.HOST ?? '127.0.0.1',
  port: number('PORT', 3000),
  publishTimeoutMs: number('PUBLISH_TIMEOUT_MS', 5_000),
})

export const verifierConfig = () => ({
  broker: broker(),
  // Give each verifier its own id: the broker keeps messages for the id while the verifier is offline.
  clientId: process.env.CLIENT_ID ?? 'alvarium-verifier',
  publicKeyFiles: required('PUBLIC_KEY_FILES').split(','),
})
