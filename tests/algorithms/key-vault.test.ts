import { type Jwk, keyIdOf } from 'alvarium-sdk'
import { expect, it } from 'vitest'

const p256 = {
  x: 'BuN0ZSU88x_B--L2w71eNEZiea3KbzoOWVDnZsxOTm4',
  y: 'aORPmEfCYjMvzn878CsuRf4h8QJYluniL8-imaWpFBU',
}
const secp256k1 = {
  x: 'JUaER1nAbnp3PqbEk8add6oiFKAMMRNdTN8EXWZmP9c',
  y: '3ZrGKFmJUBslIN-dKrpdForHe7uUs9ykc8-hR2Z8KXw',
}

it.each<[string, Jwk, Jwk]>([
  [
    'EC-HSM, a key in hardware',
    { kty: 'EC-HSM', crv: 'P-256', key_ops: ['sign', 'verify'], ...p256 },
    { kty: 'EC', crv: 'P-256', ...p256 },
  ],
  [
    'P-256K, which is secp256k1',
    { kty: 'EC', crv: 'P-256K', ...secp256k1 },
    { kty: 'EC', crv: 'secp256k1', ...secp256k1 },
  ],
])(
  'a public JWK in the form that Azure Key Vault writes (%s) has the key id of its standard form',
  (_, vault, standard) => {
    expect(keyIdOf(vault)).toBe(keyIdOf(standard))
  },
)
