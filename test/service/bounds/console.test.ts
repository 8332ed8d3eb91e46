import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { after, instant, minutes } from '../../../src/shared/base/time.ts'
import { PASSWORD } from '../api/world.ts'
import { consoleOn, personAt } from '../console/person.ts'
import { expectBounded } from './bound.ts'
import { statementsDuring } from './counted.ts'
import { CHAIN, crowdedWorld, many, MANY } from './world.ts'

const NOW = instant(Date.UTC(2026, 0, 2))
/** Of a form; the console takes 100 picks and 500 calls of a way back. */
const REPEATED = 100
/** Objects of a name with 100 TXT and 100 A. */
const FAT = 203
/** A call of a form is a separate request to `/v1`: its session, its account, its zone and its preview. */
const OF_CALL = 60

const at = crowdedWorld()
let person: ReturnType<typeof personAt>
const failures: unknown[] = []
beforeAll(async () => {
  person = personAt(consoleOn(at.counted.store, { now: () => NOW, failures }))
  await person.signIn('a', PASSWORD)
  await person.send('/console/names')
})
afterAll(() => expect(failures).toEqual([]))

interface Row {
  readonly what: string
  readonly path: string
  /** Without it the page is read. */
  readonly form?: Readonly<Record<string, string | readonly string[]>>
  /** Objects that are stored at what the form names, each once. */
  readonly targets: number
  /** Requests to `/v1` that the form asks for. */
  readonly calls?: number
}

const until = String(after(NOW, minutes(5)))
const callsOf = (bodies: readonly unknown[], operation = 'changeRRSets'): string =>
  JSON.stringify(
    bodies.map((body) => ({
      operation,
      call: { params: { zone_name: 'example.test' }, body },
      names: ['x'],
    })),
  )
const set = (name: string, type: string, value: string) => ({ name, dns_type: type, rdata: [{ value }] })
const picks = (make: (nth: number) => string): readonly string[] =>
  many(REPEATED, (nth) => `example.test/${make(nth)}`)
/** What is stored at all names of keys, which the form offers to attach. */
const KEYS = 4 * MANY

// biome-ignore format: a table
const ROWS: readonly Row[] = [
  { what: 'picks of one name x its records', path: '/console/names/bulk', targets: FAT + MANY,
    form: { act: 'ttl', value: '300', pick: picks(() => 'fat0') } },
  { what: 'picks of one name in two spellings x its records', path: '/console/names/bulk', targets: FAT + MANY,
    form: { act: 'ttl', value: '300', pick: picks((nth) => (nth % 2 === 0 ? 'fat1' : 'FAT1')) } },
  { what: 'picks of one name to delete x its records', path: '/console/names/bulk', targets: FAT + MANY,
    form: { act: 'delete', value: '', pick: picks(() => 'fat2') } },
  { what: 'picks of one name to attach x targets of the key', path: '/console/names/bulk', targets: FAT + KEYS,
    form: { act: 'key', value: '', key: 'kkk1111', pick: picks(() => 'fat3') } },
  { what: 'calls of a way back x links of the chain that each begins', path: '/console/names/bulk/undo',
    targets: CHAIN * 24, calls: REPEATED,
    form: { until, calls: callsOf(many(REPEATED, (nth) => [set(`a${nth}`, 'ALIAS', 'chain0.example.test')])) } },
  { what: 'calls of a way back x targets of the key that each attaches', path: '/console/names/bulk/undo',
    targets: MANY, calls: REPEATED,
    form: { until, calls: callsOf(many(REPEATED, (nth) => [{ name: `g${nth}`, dns_type: 'A',
      rdata: [{ label: 'w', value: '192.0.2.1', update_group: 'kkk1111' }] }])) } },
  { what: 'calls of a way back x records of one name', path: '/console/names/bulk/undo', targets: FAT, calls: REPEATED,
    form: { until, calls: callsOf(many(REPEATED, (nth) => [set('fat4', 'AAAA', `2001:db8::${nth + 1}`)])) } },
  { what: 'names to detach x targets of the key', path: '/console/names/bulk/detach', targets: KEYS,
    form: { until, key: 'kkk1111', name: many(REPEATED, () => 'k0.example.test') } },
  { what: 'names of a page x targets of the keys', path: '/console/names?choose=yes', targets: KEYS },
  { what: 'search x names', path: '/console/names?search=k&choose=yes', targets: KEYS },
  { what: 'keys x targets', path: '/console/keys', targets: KEYS },
  { what: 'zones x names', path: '/console/zones', targets: 0 },
  { what: 'entries of the trail', path: '/console/trail', targets: 0 },
]

describe('work for one form of the console is bounded, whatever two numbers it has:', () => {
  it.each(ROWS)('$what', async ({ path, form, targets, calls = 0 }) => {
    const sent: { status: number; html: string } = { status: 0, html: '' }
    at.counted.take()
    const statements = await statementsDuring(async () => {
      const shown = form === undefined ? await person.send(path) : await person.post(path, form)
      Object.assign(sent, { status: shown.status, html: shown.html })
    })
    const work = at.counted.take()
    expect([200, 422]).toContain(sent.status)
    const octets = JSON.stringify(form ?? '').length + sent.html.length
    // READS_PER_UNIT is for one unit: what a call costs is counted here in units.
    const asked = { octets, targets: targets + calls * (OF_CALL / 8) * 3 }
    expectBounded(work, asked)
    expectBounded({ reads: statements, most: 'statements' }, asked)
  })
})
