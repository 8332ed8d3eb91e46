import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { configured, served } from './configured.ts'
import { askedAt } from './dns-asked.ts'
import { KEY, transferred } from './dns-secondary.ts'

/** The publication is the same everywhere, and agrees with the DNS. */

const ANSWERS = 'dns_listen = ["127.0.0.1:0"]\nanswer_queries = true'
/** Nothing listens at port 9; only the test transfers the zone. */
const HAS_SECONDARY = `dns_listen = ["127.0.0.1:0"]
secondaries = ["a=127.0.0.1:9 key ${KEY.name}"]
tsig_key_file = `

interface Row {
  readonly says: string
  readonly toml: string
  readonly needsKeys?: true
  readonly word: string
  /** The UDP answer for home.acme.test; undefined without a listener. */
  readonly answer?: RegExp
}

// biome-ignore format: a table
const ROWS: readonly Row[] = [
  { says: 'nothing that answers',             toml: '',                              word: 'unserved' },
  { says: 'a listener that answers nobody',   toml: 'dns_listen = ["127.0.0.1:0"]',  word: 'unserved',  answer: /^REFUSED$/ },
  { says: 'a service that answers',           toml: ANSWERS,                         word: 'published', answer: /^NOERROR 192\.0\.2\.1$/ },
  { says: 'a secondary that has not fetched', toml: HAS_SECONDARY, needsKeys: true,  word: 'behind',    answer: /^REFUSED$/ },
]

/** The publications of rows with this name, at any depth. */
function wordsOf(found: unknown, name: string): readonly unknown[] {
  if (typeof found !== 'object' || found === null) return []
  const own = 'name' in found && found.name === name && 'publication' in found ? [found.publication] : []
  return [...own, ...Object.values(found).flatMap((one) => wordsOf(one, name))]
}

async function servedWith({ toml, needsKeys }: Pick<Row, 'toml' | 'needsKeys'>) {
  const at = await configured('')
  const keys = join(at.folder, 'keys')
  writeFileSync(keys, `${KEY.name} ${KEY.algorithm} ${KEY.secret.reveal()}\n`)
  chmodSync(keys, 0o600)
  at.write(needsKeys === true ? `${toml}"${keys}"` : toml)
  const running = await served(at)
  const rrsets = [{ dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }]
  const made = await running.ask('POST', '/v1/dns/records/acme.test', { name: 'home', rrsets })
  expect(made.status).toBe(201)
  const operatorsWords = async () => ({
    'zone show': wordsOf(await at.admin('zone', 'show', 'acme.test'), 'acme.test')[0],
    'name list': wordsOf(await at.admin('name', 'list', 'zone=acme.test'), 'home.acme.test')[0],
  })
  const words = async () => ({
    zone: (await running.ask('GET', '/v1/dns/zones/acme.test')).data['publication'],
    name: (await running.ask('GET', '/v1/dns/records/acme.test/home')).data['publication'],
    ...(await operatorsWords()),
  })
  return { ...running, words, operatorsWords }
}

const everywhere = (word: string) => ({ zone: word, name: word, 'zone show': word, 'name list': word })
/** A gauge of zones with this publication. */
const gaugeOf = (word: string): RegExp =>
  new RegExp(`^holdfast_\\w*(zones\\w*\\{[^}]*"${word}"[^}]*\\}|${word}\\w*) 1$`, 'm')

describe('the state of a zone and of its name, with', () => {
  it.each(ROWS)('$says: $word', async (row) => {
    const at = await servedWith(row)
    if (row.answer !== undefined)
      await eventually(async () => askedAt(at.dnsPort, 'home.acme.test')).toMatch(row.answer)
    await eventually(at.words, 500).toEqual(everywhere(row.word))
    await eventually(at.metrics).toMatch(gaugeOf(row.word))
  })

  it('a service that has ended: nobody answers, also where the operator asks', async () => {
    const at = await servedWith({ toml: ANSWERS })
    await eventually(at.words, 500).toEqual(everywhere('published'))
    at.child.kill('SIGTERM')
    await at.ended
    expect(await at.operatorsWords()).toEqual({ 'zone show': 'unserved', 'name list': 'unserved' })
  })

  it('a secondary that has fetched the zone: published, and behind after the next change', async () => {
    const at = await servedWith({ toml: HAS_SECONDARY, needsKeys: true })
    const afterTransfer = async () => {
      await transferred(at, 'acme.test')
      return at.words()
    }
    await eventually(afterTransfer, 500).toEqual(everywhere('published'))
    const rrsets = [{ dns_type: 'A', rdata: [{ value: '192.0.2.2' }] }]
    await at.ask('POST', '/v1/dns/records/acme.test', { name: 'more', rrsets })
    await eventually(async () => (await at.ask('GET', '/v1/dns/zones/acme.test')).data['publication']).toBe(
      'behind',
    )
  })
})
