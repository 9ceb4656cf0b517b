import { generateKey, toHex } from 'alvarium-sdk'
import { readTrust } from 'alvarium-sdk/trust'
let max=0
const hold = () => { let last = performance.now(); max = 0; const t = setInterval(() => { const n = performance.now(); max = Math.max(max, n - last); last = n }, 1); return () => { clearInterval(t); return max } }
const t = async (name, input, opts) => {
  const stop = hold(); const s = performance.now(); const c = process.cpuUsage()
  await new Promise(r=>setTimeout(r,5))
  let said
  try { const trust = await readTrust(input, opts); said = 'OK'; await trust.close?.() } catch (e) { said = `${e.name} ${e.code} ${String(e.message).slice(0, 200)}` }
  const u = process.cpuUsage(c)
  console.log(`${name}: ${(performance.now() - s).toFixed(0)} ms, cpu ${((u.user+u.system)/1000).toFixed(0)}, loop held ${stop().toFixed(0)} ms, rss ${(process.memoryUsage().rss/1e6).toFixed(0)} MB → ${said}`)
}
const only = process.argv[2]
const k = toHex(generateKey().verifyingKey)
const cases = {
  lol: ['a: &a ["lol","lol","lol","lol","lol","lol","lol","lol","lol"]', ...'bcdefghij'.split('').map((c, i) => `${c}: &${c} [${Array(9).fill('*' + 'abcdefghi'[i]).join(',')}]`)].join('\n') + '\nsigners: []\n',
  anchors: `x: &x ${k}\nsigners:\n` + Array.from({ length: 200 }, (_, i) => `  - name: s${i}\n    keys: [*x]\n`).join(''),
  deepYaml: 'signers: ' + '['.repeat(100000),
  deepJson: '{"signers":' + '['.repeat(1000000),
  notArray: '{"signers":5}', nul: 'null', empty: '', binary: '\0\0\0\0',
  proto: `{"signers":[{"name":"a","keys":["${k}"],"__proto__":{"x":1}}]}`,
  dup: `{"signers":[],"signers":[{"name":"a","keys":["${k}"]}]}`,
  jwksPrivate: JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x: Buffer.from(k, 'hex').toString('base64url'), d: 'A'.repeat(43), kid: 'g' }] }),
  jwksOct: JSON.stringify({ keys: [{ kty: 'oct', k: 'AAAA', kid: 'g' }] }),
  jwksBig: JSON.stringify({ keys: Array.from({ length: 100000 }, (_, i) => ({ kty: 'RSA', n: 'A', e: 'AQAB', kid: `${i}` })) }),
  bom: '\ufeff' + JSON.stringify({ signers: [{ name: 'a', keys: [k] }] }),
}
for (const [n, v] of Object.entries(cases)) if (!only || only === n) await t(n, v)
const million = (n) => ({ signers: Array.from({ length: n }, (_, i) => ({ name: `s${i}`, keys: [i.toString(16).padStart(64, '0')] })) })
if (!only || only === 'million') { await t('1e6 object', million(1e6)); await t('1e6 JSON text', JSON.stringify(million(1e6))) }
if (!only || only === 'stars') { const p = (s) => ({ signers: [{ name: 'a', keys: [k], hosts: Array.from({ length: 1000 }, (_, i) => s + i) }] }); await t('1000 patterns of stars', p('*a'.repeat(2000))); await t('100000 patterns', { signers: [{ name: 'a', keys: [k], hosts: Array.from({ length: 100000 }, (_, i) => `*${i}*`) }] }) }
const ed = (h) => { const b = Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from('ssh-ed25519'), Buffer.from([0, 0, 0, 32]), Buffer.from(h, 'hex')]); return `ssh-ed25519 ${b.toString('base64')}` }
const as = {
  crlf: `gw-1 namespaces="alvarium" ${ed(k)}\r\ngw-2 ${ed(toHex(generateKey().verifyingKey))} comment\r\n`,
  bomSigners: `\ufeffgw-1 ${ed(k)}\n`,
  stray: `gw-1 namespaces="alvarium ${ed(k)}\n`,
  stray2: `"gw-1 ${ed(k)}\n`,
  stray3: `gw-1 namespaces=alvarium" ${ed(k)}\n`,
  stray4: `gw-1 valid-after="2026",namespaces="alvarium" ${ed(k)}\n`,
  ca: `gw-1 cert-authority ${ed(k)}\n`,
  neg: `*,!gw-2 ${ed(k)}\n`,
  long: `gw-1 ${ed(k)} ${'x'.repeat(20_000_000)}\n`,
  lines: Array.from({ length: 300000 }, (_, i) => `gw-${i} ${ed(k)}`).join('\n'),
  quotes: `gw-1 namespaces="${'\\"'.repeat(500000)} ${ed(k)}\n`,
  nulLine: `gw-1\0 ${ed(k)}\n`,
}
for (const [n, v] of Object.entries(as)) if (!only || only === n) await t('allowed_signers ' + n, v)
process.exit()
