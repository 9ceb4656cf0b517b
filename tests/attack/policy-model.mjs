// A plain model of trust policies: slow, and without code of the package.

/**
 * @typedef {object} Facts the content of a bundle
 * @property {string} signer @property {string} action @property {string} host @property {string} layer
 * @property {string} timestamp @property {readonly { kind: string, tag: string }[]} annotations
 */

/**
 * @param {any} policy @param {(key: any) => string} keyIdOf @param {Facts} bundle @param {number | undefined} receivedAt
 * @returns {string} the name of its signer, or the error's code
 */
export function bundleVerdict(policy, keyIdOf, bundle, receivedAt) {
  const found = keyOf(policy, keyIdOf, bundle.signer)
  if (!found) return 'SIGNER_UNKNOWN'
  const late = timeVerdict(policy, found, bundle.timestamp, receivedAt)
  if (late) return late
  const { signer } = found
  const isAllowed =
    allows(signer.actions, bundle.action) &&
    allows(signer.hosts, bundle.host) &&
    allows(signer.layers, bundle.layer) &&
    bundle.annotations.every(({ kind, tag }) => allows(signer.kinds, kind) && allows(signer.tags, tag))
  return isAllowed ? signer.name : 'SIGNER_NOT_ALLOWED'
}

/** Returns the verdict on a message with several bundles: the first error applies to all of them. */
export function messageVerdict(policy, keyIdOf, bundles, receivedAt) {
  const verdicts = bundles.map((bundle) => bundleVerdict(policy, keyIdOf, bundle, receivedAt))
  return verdicts.find((one) => one.startsWith('SIGNER_')) ?? verdicts[0]
}

/**
 * Returns the verdict on a message with leases, in their order.
 *
 * @param {readonly any[]} leases well-formed leases, signed by both parties, with the key id of the subject
 */
export function leasedVerdict(policy, keyIdOf, bundles, leases, receivedAt) {
  const own = messageVerdict(policy, keyIdOf, bundles, receivedAt)
  if (own !== 'SIGNER_UNKNOWN') return own
  const judged = (under, idOf, signer) =>
    messageVerdict(
      under,
      idOf,
      bundles.map((bundle) => ({ ...bundle, signer })),
      receivedAt,
    )
  return byLeases(policy, keyIdOf, bundles[0].signer, leases, judged) ?? own
}

/** @param {(policy: any, keyIdOf: (key: any) => string, signer: string) => string} judged - returns the verdict under the name of this signer */
function leaseVerdict(policy, keyIdOf, lease, judged) {
  const { signer } = keyOf(policy, keyIdOf, lease.issuer)
  const most = signer.maxLeaseMs ?? policy.maxLeaseMs ?? 86_400_000
  const length = momentOf(lease.until) - momentOf(lease.from)
  if (most === 0 || length > BigInt(most) * 1_000_000n) return 'SIGNER_NOT_ALLOWED'
  const issuers = judged(policy, keyIdOf, lease.issuer)
  if (issuers.startsWith('SIGNER_')) return issuers
  // A lease acts as a signer: with one period, its lists, and perhaps a revocation.
  const { acceptLateMs = policy.acceptLateMs } = signer
  const revoked = (signer.revokedLeases ?? []).find(({ serial }) => serial === lease.serial)
  const as = { ...lease, name: 'leased', keys: ['key'], acceptLateMs, ...(revoked && { revoked }) }
  const own = judged({ signers: [as] }, (key) => key, 'key')
  return own.startsWith('SIGNER_') ? own : `${signer.name} by ${lease.serial}`
}

function byLeases(policy, keyIdOf, signer, leases, judged) {
  const verdicts = leases
    .filter(({ issuer, keyId }) => keyId === signer && keyOf(policy, keyIdOf, issuer))
    .map((lease) => leaseVerdict(policy, keyIdOf, lease, judged))
  return verdicts.find((one) => !one.startsWith('SIGNER_')) ?? verdicts[0]
}

/** Returns whether bundles of a revoked key claim a time before the revocation but arrived after it. */
export function isBackdated(policy, keyIdOf, bundles, receivedAt) {
  const found = keyOf(policy, keyIdOf, bundles[0].signer)
  if (!found || receivedAt === undefined) return false
  return [found.signer, found.key].some(({ revoked }) => {
    if (!revoked || BigInt(receivedAt) * 1_000_000n < momentOf(revoked.since)) return false
    return bundles.every(({ timestamp }) => momentOf(timestamp) < momentOf(revoked.since))
  })
}

export function leasedAnnotationVerdict(policy, keyIdOf, bundle, annotation, leases, receivedAt) {
  const own = annotationVerdict(policy, keyIdOf, bundle, annotation, receivedAt)
  if (own !== 'SIGNER_UNKNOWN') return own
  const judged = (under, idOf, signer) =>
    annotationVerdict(under, idOf, { ...bundle, signer }, annotation, receivedAt)
  return byLeases(policy, keyIdOf, bundle.signer, leases, judged) ?? own
}

/** Returns the verdict on an annotation of another SDK, whose action is not signed. */
export function annotationVerdict(policy, keyIdOf, bundle, annotation, receivedAt) {
  const found = keyOf(policy, keyIdOf, bundle.signer)
  if (!found) return 'SIGNER_UNKNOWN'
  const late = timeVerdict(policy, found, bundle.timestamp, receivedAt)
  if (late) return late
  if (found.signer.actions) return 'SIGNER_NOT_ALLOWED'
  return bundleVerdict(policy, keyIdOf, { ...bundle, annotations: [annotation] }, receivedAt)
}

function keyOf({ signers }, keyIdOf, id) {
  for (const signer of signers) {
    for (const entry of signer.keys) {
      const isEntry = typeof entry === 'object' && 'key' in entry
      if (keyIdOf(isEntry ? entry.key : entry) === id) return { signer, key: isEntry ? entry : {} }
    }
  }
  return undefined
}

function timeVerdict(policy, { signer, key }, timestamp, receivedAt) {
  const received = receivedAt === undefined ? undefined : BigInt(receivedAt) * 1_000_000n
  for (const { revoked } of [signer, key]) {
    if (!revoked) continue
    // The time of receipt has milliseconds only, so compare with the revocation's millisecond.
    const since = (momentOf(revoked.since) / 1_000_000n) * 1_000_000n
    if (received === undefined || received >= since) return 'SIGNER_REVOKED'
  }
  const lateNs = BigInt(signer.acceptLateMs ?? policy.acceptLateMs ?? 60_000) * 1_000_000n
  const signed = momentOf(timestamp)
  for (const { from, until } of [signer, key]) {
    if (from && signed < momentOf(from)) return 'SIGNER_EXPIRED'
    if (until && signed > momentOf(until)) return 'SIGNER_EXPIRED'
    if (until && received !== undefined && received > momentOf(until) + lateNs) return 'SIGNER_EXPIRED'
  }
  return undefined
}

/** Returns the nanoseconds since 1970, computed from the digits. */
export function momentOf(text) {
  const [, year, month, day, hour, minute, second, fraction = '', utc, sign, hours, minutes] =
    /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)(?:\.(\d+))?(?:(Z)|([+-])(\d+):(\d+))$/.exec(text)
  const days = Date.UTC(+year, +month - 1, +day) / 86_400_000
  const offset = utc ? 0 : (sign === '-' ? -1 : 1) * (+hours * 60 + +minutes)
  const seconds = ((days * 24 + +hour) * 60 + +minute - offset) * 60 + +second
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
}

/** Returns whether a list allows a value; a missing list allows everything. */
function allows(list, value) {
  return list === undefined || list.some((pattern) => isLike(pattern, value))
}

function isLike(pattern, text) {
  if (pattern === '') return text === ''
  if (pattern[0] === '*') {
    return isLike(pattern.slice(1), text) || (text !== '' && isLike(pattern, text.slice(1)))
  }
  const [own, rest] = pattern[0] === '\\' ? [pattern[1], pattern.slice(2)] : [pattern[0], pattern.slice(1)]
  return text !== '' && text[0] === own && isLike(rest, text.slice(1))
}
