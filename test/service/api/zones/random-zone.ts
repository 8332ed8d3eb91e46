import { seededRandom } from '../../../bench/fleet-random.ts'
import { apexOf } from '../../../../src/service/model/apex.ts'
import type { DnsType } from '../../../../src/service/model/rdata/types.ts'
import { bodyIn, codesOf, type Inside, NOW } from '../inside.ts'
import type { World } from '../world.ts'

/** Random changes of a small zone through the management API, and what each would make of it. */

/** Values by their labels. */
type Values = Readonly<Record<string, string>>
/** Every name of a zone: type to values. */
export type ZoneState = Readonly<Record<string, Readonly<Record<string, Values>>>>

export interface Step {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** The zone with this change. */
  readonly wanted: ZoneState
}

export interface StepResult {
  readonly step: Step
  /** Empty for a change that is accepted. */
  readonly codes: readonly string[]
  readonly state: ZoneState
}

/** Numbers below n. */
function randomFrom(seed: number): (n: number) => number {
  const random = seededRandom(seed)
  return (n) => Math.floor(random() * n)
}

const NAMES = ['@', 'a', 'b', 'c', 'd', 'a.d', 'b.d', 'c.b.d', 'a.b', '*', '*.a', '*.d', '*.b.d'] as const
const HOSTS: readonly string[] = NAMES.filter((name) => !name.includes('*'))
const TYPES = [
  'A',
  'A',
  'AAAA',
  'ALIAS',
  'CNAME',
  'NS',
  'NS',
  'NS',
  'PTR',
  'MX',
  'SRV',
  'TXT',
  '_URL',
  'DS',
] as const
type RandomType = (typeof TYPES)[number]

interface Dice {
  readonly random: (n: number) => number
  readonly pick: <T>(list: readonly T[]) => T
  readonly zone: string
  /** Names with addresses, which most NS point to. */
  readonly hosts: readonly string[]
}

function valueOf(type: RandomType, { random, pick, zone, hosts }: Dice): string {
  const host = pick(type === 'NS' && hosts.length > 0 && random(3) > 0 ? hosts : HOSTS)
  const target = random(6) === 0 ? 'x.other.example.' : `${host === '@' ? '' : `${host}.`}${zone}.`
  const values: Readonly<Record<RandomType, string>> = {
    A: `192.0.2.${random(250)}`,
    AAAA: `2001:db8::${(random(250) + 1).toString(16)}`,
    ALIAS: target,
    CNAME: target,
    NS: target,
    PTR: target,
    MX: `10 ${target}`,
    SRV: `1 2 3 ${target}`,
    TXT: `"${random(250)}"`,
    _URL: `http://192.0.2.${random(250)}/`,
    DS: `1 8 2 ${'00'.repeat(31)}${random(90) + 10}`,
  }
  return values[type]
}

const labelled = (values: readonly string[]): Values =>
  Object.fromEntries(values.map((value, n) => [`l${n}`, value]))
const bodyOf = (values: Values) => Object.entries(values).map(([label, value]) => ({ label, value }))
const without = <T>(all: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(all).filter(([one]) => one !== key))

/** The state with other values of one type at a name. */
function withValues(state: ZoneState, [name, type]: readonly [string, string], values: Values): ZoneState {
  const types = without(state[name] ?? {}, type)
  return { ...state, [name]: Object.keys(values).length === 0 ? types : { ...types, [type]: values } }
}

type Maker = (state: ZoneState, dice: Dice) => Step | undefined

const newValues = (type: RandomType, dice: Dice): Values =>
  labelled([...new Set(Array.from({ length: dice.random(8) === 0 ? 2 : 1 }, () => valueOf(type, dice)))])

const pathOf = (zone: string, name: string, type?: string): string =>
  `/v1/dns/records/${zone}/${name}${type === undefined ? '' : `/rrsets/${type}`}`

const create: Maker = (state, dice) => {
  const [name, first, second] = [dice.pick(NAMES), dice.pick(TYPES), dice.pick(TYPES)]
  const types = [...new Set([first, second])].slice(
    0,
    dice.random(4) === 0 ? 2 : dice.random(6) === 0 ? 0 : 1,
  )
  const values = types.map((type) => [type, newValues(type, dice)] as const)
  const rrsets = values.map(([type, rdata]) => ({ dns_type: type, rdata: bodyOf(rdata) }))
  const body = { name, rrsets }
  return {
    method: 'POST',
    path: `/v1/dns/records/${dice.zone}`,
    body,
    wanted: { ...state, [name]: Object.fromEntries(values) },
  }
}
const createRRSet: Maker = (state, dice) => {
  const [name, type] = [dice.pick(Object.keys(state)), dice.pick(TYPES)]
  const values = newValues(type, dice)
  const body = [{ dns_type: type, rdata: bodyOf(values) }]
  return {
    method: 'POST',
    path: `${pathOf(dice.zone, name)}/rrsets`,
    body,
    wanted: withValues(state, [name, type], values),
  }
}
const append: Maker = (state, dice) => {
  const [name, type] = [dice.pick(NAMES), dice.pick(TYPES)]
  const added = { [`n${dice.random(1e6)}`]: valueOf(type, dice) }
  const wanted = withValues(state, [name, type], { ...state[name]?.[type], ...added })
  return { method: 'POST', path: `${pathOf(dice.zone, name, type)}/rdata`, body: bodyOf(added), wanted }
}
const replace: Maker = (state, dice) => {
  const name = dice.pick(Object.keys(state))
  const stored = Object.keys(state[name] ?? {}).filter((type): type is RandomType =>
    (TYPES as readonly string[]).includes(type),
  )
  const type = dice.pick([...stored, dice.pick(TYPES)])
  const values = newValues(type, dice)
  const wanted = withValues(state, [name, type], values)
  return { method: 'PUT', path: `${pathOf(dice.zone, name, type)}/rdata`, body: bodyOf(values), wanted }
}
/** A name, a type and a label that are stored, without the NS of the service. */
function storedRdata(state: ZoneState, { pick }: Dice): readonly [string, RandomType, string] | undefined {
  const all = Object.entries(state).flatMap(([name, types]) =>
    Object.entries(types)
      .filter(([type]) => name !== '@' || type !== 'NS')
      .flatMap(([type, values]) =>
        Object.keys(values).map((label) => [name, type as RandomType, label] as const),
      ),
  )
  return all.length === 0 ? undefined : pick(all)
}
const change: Maker = (state, dice) => {
  const [name, type, label] = storedRdata(state, dice) ?? []
  if (name === undefined || type === undefined || label === undefined) return undefined
  const value = valueOf(type, dice)
  const wanted = withValues(state, [name, type], { ...state[name]?.[type], [label]: value })
  return { method: 'PUT', path: `${pathOf(dice.zone, name, type)}/rdata/${label}`, body: { value }, wanted }
}
const deleteName: Maker = (state, dice) => {
  const name = dice.pick(Object.keys(state))
  return { method: 'DELETE', path: pathOf(dice.zone, name), wanted: without(state, name) }
}
const deleteRRSet: Maker = (state, dice) => {
  const [name, type] = storedRdata(state, dice) ?? []
  if (name === undefined || type === undefined) return undefined
  return {
    method: 'DELETE',
    path: pathOf(dice.zone, name, type),
    wanted: withValues(state, [name, type], {}),
  }
}
const deleteLabel: Maker = (state, dice) => {
  const [name, type, label] = storedRdata(state, dice) ?? []
  if (name === undefined || type === undefined || label === undefined) return undefined
  const wanted = withValues(state, [name, type], without(state[name]?.[type] ?? {}, label))
  return { method: 'DELETE', path: `${pathOf(dice.zone, name, type)}/rdata/${label}`, wanted }
}
const MAKERS = [
  create,
  create,
  create,
  createRRSet,
  append,
  append,
  replace,
  change,
  deleteName,
  deleteRRSet,
  deleteLabel,
]

interface Row {
  readonly name: string
  readonly rrsets: readonly {
    readonly dns_type: DnsType
    readonly rdata: readonly { readonly label: string; readonly value: string }[]
  }[]
}

const AS_A = { authorization: 'Bearer key-of-a', contentType: 'application/json' } as const

/** The zone as the API lists it. */
async function exported(api: Inside, zone: string): Promise<ZoneState> {
  const query = 'limit=500'
  const answer = await api.send({ method: 'GET', path: `/v1/dns/records/${zone}`, query, ...AS_A })
  const rows = bodyIn(answer).data as readonly Row[]
  return Object.fromEntries(
    rows.map(({ name, rrsets }) => [
      name,
      Object.fromEntries(
        rrsets.map((rrset) => [
          rrset.dns_type,
          Object.fromEntries(rrset.rdata.map(({ label, value }) => [label, value])),
        ]),
      ),
    ]),
  )
}

const withAddress = (state: ZoneState): readonly string[] =>
  HOSTS.filter((name) => state[name]?.['A'] !== undefined || state[name]?.['AAAA'] !== undefined)

/** A new zone of account A, and the results of random steps in it. */
export async function* randomZone(
  { store, ids }: World,
  api: Inside,
  { zone, seed, steps }: { readonly zone: string; readonly seed: number; readonly steps: number },
): AsyncGenerator<StepResult> {
  const accountId = ids['a'] ?? 0
  await store.write(async (w) => {
    await w.changePlan(ids['plan-a'] ?? 0, { maxNames: 9999, maxRdata: 9999 })
    const zoneId = await w.addZone({ accountId, name: zone, isShared: false }, NOW)
    await w.saveName(apexOf({ zoneId, accountId }, ['ns.operator.example'], NOW), NOW)
  })
  const random = randomFrom(seed)
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
  let state = await exported(api, zone)
  for (let n = 0; n < steps; n++) {
    const step = pick(MAKERS)(state, { random, pick, zone, hosts: withAddress(state) })
    if (step === undefined) continue
    const { method, path, body } = step
    const answer = await api.send({
      method,
      path,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...AS_A,
    })
    state = await exported(api, zone)
    yield { step, codes: codesOf({ body: bodyIn(answer) }), state }
  }
}
