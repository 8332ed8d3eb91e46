import { afterAll, beforeAll, expect, it } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import { apexOf } from '../../../../src/service/model/apex.ts'
import { bodyIn, codesOf, type Inside, inside, NOW } from '../inside.ts'
import { apiWorld, type World } from '../world.ts'

let world: World
let api: Inside
beforeAll(async () => {
  world = await apiWorld()
  await world.store.write(async (w) =>
    w.changePlan(world.ids['plan-a'] ?? 0, { maxNames: 9999, maxRdata: 9999 }),
  )
  api = inside(world.store)
})
afterAll(async () => world.close())

/** A step: `make NAME [TYPE VALUE]`, `rrset`, `add` or `put NAME TYPE VALUE`, `label NAME TYPE LABEL VALUE`, `delete NAME [TYPE [LABEL]]`. A plus is a space. */
function request(zone: string, step: string) {
  const [word = '', name = '', type = '', ...values] = step.split(' ').map((one) => one.replaceAll('+', ' '))
  const at = `/v1/dns/records/${zone}`
  const rdata = values.map((value) => ({ value }))
  const set = `${at}/${name}/rrsets/${type}`
  const [label = '', value] = values
  const all: Readonly<Record<string, readonly [method: string, path: string, body?: unknown]>> = {
    make: ['POST', at, { name, rrsets: type === '' ? [] : [{ dns_type: type, rdata }] }],
    rrset: ['POST', `${at}/${name}/rrsets`, [{ dns_type: type, rdata }]],
    add: ['POST', `${set}/rdata`, rdata],
    put: ['PUT', `${set}/rdata`, rdata],
    label: ['PUT', `${set}/rdata/${label}`, { value }],
    delete: ['DELETE', type === '' ? `${at}/${name}` : label === '' ? set : `${set}/rdata/${label}`],
  }
  const [method, path, body] = all[word] ?? ['GET', at]
  return { method, path, ...(body !== undefined && { body: JSON.stringify(body) }) }
}

let zones = 0
/** Does the steps in a new zone, which must succeed but for the last. */
async function replyTo(...steps: readonly string[]) {
  const zone = `z${zones++}.test`
  await world.store.write(async (w) => {
    const accountId = world.ids['a'] ?? 0
    const zoneId = await w.addZone({ accountId, name: zone, isShared: false }, NOW)
    await w.saveName(apexOf({ zoneId, accountId }, ['ns.operator.example'], NOW), instant(NOW))
  })
  const send = async (step: string) => {
    const headers = { authorization: 'Bearer key-of-a', contentType: 'application/json' }
    const answer = await api.send({ ...request(zone, step.replaceAll('ZONE', zone)), ...headers })
    return { status: answer.status, body: bodyIn(answer) }
  }
  for (const step of steps.slice(0, -1)) {
    const { status, body } = await send(step)
    if (status >= 300) throw new Error(`${step}: ${JSON.stringify(body)}`)
  }
  const { status, body } = await send(steps.at(-1) ?? '')
  const details = [...(body.errors ?? []), ...(body.warnings as readonly { readonly detail?: string }[])]
  return {
    code: [status, ...codesOf({ body })].join(' '),
    details: details.map(({ detail = '' }) => detail.replaceAll(zone, 'ZONE')),
  }
}

const GLUE = ['make ns1.d2 A 192.0.2.1', 'make d2 NS ns1.d2.ZONE.'] as const
const WILD = ['make p A 192.0.2.1', 'make *.p A 192.0.2.2'] as const
const OUT = 'make cn CNAME x.other.example.'

// biome-ignore format: a table
it.each<[what: string, expected: string, ...steps: readonly string[]]>([
  ['deleting a name that is glue',             '400 3363', ...GLUE, 'delete ns1.d2'],
  ['deleting an RRset that is glue',           '400 3363', ...GLUE, 'delete ns1.d2 A'],
  ['deleting the last label that is glue',     '400 3363', ...GLUE, 'delete ns1.d2 A _1'],
  ['deleting one of two labels of glue',       '200',      ...GLUE, 'add ns1.d2 A 192.0.2.2', 'delete ns1.d2 A _1'],
  ['deleting one of two families of glue',     '200',      ...GLUE, 'add ns1.d2 AAAA 2001:db8::1', 'delete ns1.d2 A'],
  ['deleting glue after the delegation',       '200',      ...GLUE, 'delete d2', 'delete ns1.d2'],
  ['deleting glue after its NS',               '200',      ...GLUE, 'add d2 NS x.other.example.', 'delete d2 NS _1', 'delete ns1.d2'],
  ['a changed address of glue',                '202',      ...GLUE, 'put ns1.d2 A 192.0.2.9'],
  ['an NS without a target',                   '400 3111', 'make nst NS t.ZONE.'],
  ['an NS without a target, by PUT',           '400 3111', 'make nst', 'put nst NS t.ZONE.'],
  ['an NS without a target, by label',         '400 3111', 'make nst', 'label nst NS a t.ZONE.'],
  ['an NS without a target, by POST',          '400 3111', 'add nst NS t.ZONE.'],
  ['an NS without a target, in an RRset',      '400 3111', 'make nst', 'rrset nst NS t.ZONE.'],
  ['a CNAME where an NS points to',            '400 3111', 'make t A 192.0.2.1', 'make nst NS t.ZONE.', 'rrset t CNAME q.example.'],
  ['a CNAME where a PTR points to',            '400 4619', 'make ptr PTR t.ZONE.', 'make t CNAME q.example.'],
  ['an ALIAS to a CNAME out of the zone',      '422 4145', OUT, 'make al ALIAS cn.ZONE.'],
  ['a CNAME out of the zone below an ALIAS',   '422 4145', 'make al ALIAS cn.ZONE.', OUT],
  ['an ALIAS to a CNAME back to it',           '400 4159', 'make a1 ALIAS a2.ZONE.', 'make a2 CNAME a1.ZONE.'],
  ['an ALIAS back to a CNAME to it',           '400 4159', 'make a2 CNAME a1.ZONE.', 'make a1 ALIAS a2.ZONE.'],
  ['deleting the parent of a wildcard',        '400 3363', ...WILD, 'delete p'],
  ['deleting its last RRset',                  '400 3363', ...WILD, 'delete p A'],
  ['deleting its last label',                  '400 3363', ...WILD, 'delete p A _1'],
  ['deleting it after the wildcard',           '200',      ...WILD, 'delete *.p', 'delete p'],
])('%s: %s', async (_, expected, ...steps) => {
  const { code, details } = await replyTo(...steps)
  expect(code, details.join()).toBe(expected)
})

const HIDDEN =
  'the delegation d.ZONE. hides the records of x.d.ZONE., except addresses that an NS needs (RFC 2136 §7.18)'
const DELEGATION = 'make d NS ns.other.example.'
const alias = (type: string, rfc: string) => `the ${type} of m.ZONE. points to the alias t.ZONE. (${rfc})`
const MX = alias('MX', 'RFC 2181 §10.3')
const SRV = alias('SRV', 'RFC 2782')
const ABSOLUTE = (type: string, name: string) =>
  `the target of ${type} is absolute: ${name} is stored as ${name}., with a dot at its end`
const LOOP = 'the CNAME of t.ZONE. leads to a loop at t.ZONE.'

// biome-ignore format: a table
it.each<[what: string, warnings: readonly string[], ...steps: readonly string[]]>([
  ['an address',                             [],                 'make t A 192.0.2.1'],
  ['MX to a CNAME',                          [MX],               'make t CNAME q.example.', 'make m MX 10+t.ZONE.'],
  ['SRV to a CNAME',                         [SRV],              'make t CNAME q.example.', 'make m', 'rrset m SRV 1+2+3+t.ZONE.'],
  ['a CNAME where MX and SRV point to',      [MX, SRV],          'make m MX 10+t.ZONE.', 'add m SRV 1+2+3+t.ZONE.', 'make t CNAME q.example.'],
  ['MX to an address',                       [],                 'make t A 192.0.2.1', 'make m MX 10+t.ZONE.'],
  ['the null MX',                            [],                 'make m MX 0+.'],
  ['a CNAME to itself',                      [LOOP],             'make t CNAME t.ZONE.'],
  ['TXT beneath a delegation',               [HIDDEN],           DELEGATION, 'make x.d TXT "x"'],
  ['TXT beneath a delegation, by POST',      [HIDDEN],           DELEGATION, 'add x.d TXT "x"'],
  ['TXT beneath a delegation, by label',     [HIDDEN],           DELEGATION, 'make x.d', 'label x.d TXT a "x"'],
  ['no records beneath a delegation',        [],                 DELEGATION, 'make x.d'],
  ['a delegation above TXT',                 [HIDDEN],           'make x.d TXT "x"', DELEGATION],
  ['a delegation above TXT, by PUT',         [HIDDEN],           'make x.d TXT "x"', 'make d', 'put d NS ns.other.example.'],
  ['a delegation above its glue',            [],                 ...GLUE],
  ['more glue of a delegation',              [],                 ...GLUE, 'add ns1.d2 AAAA 2001:db8::1'],
  ['a target of one label',                  [ABSOLUTE('CNAME', 'home')],      'make t CNAME home'],
  ['a target without dot of the same TLD',   [ABSOLUTE('CNAME', 'a.test')],    'make t CNAME A.test'],
  ['such a target of MX, by PUT',            [ABSOLUTE('MX', 'mail')],         'make m', 'put m MX 10+mail'],
  ['such a target of MX, by label',          [ABSOLUTE('MX', 'mail')],         'make m', 'label m MX a 10+mail'],
  ['a target without dot of another TLD',    [],                 'make t CNAME a.example'],
  ['a word in TXT',                          [],                 'make t TXT home'],
  ['the name of the zone in a name',         ['names are relative to the zone: this name is fq.ZONE.ZONE.'], 'make fq.ZONE A 192.0.2.1'],
  ['the name of the zone, by POST',          ['names are relative to the zone: this name is ZONE.ZONE.'],    'add ZONE A 192.0.2.1'],
  ['the same at a name that exists',         [],                 'make fq.ZONE A 192.0.2.1', 'add fq.ZONE A 192.0.2.2'],
])('%s is made with its warnings', async (_, warnings, ...steps) => {
  const { code, details } = await replyTo(...steps)
  expect([code, details]).toEqual([expect.stringMatching(/^20[12]$/), warnings])
})
