import type { ZoneState } from './random-zone.ts'

/** One record: owner and target fully qualified, with the trailing dot. */
export interface FlatRecord {
  readonly owner: string
  readonly type: string
  readonly value: string
}

export const recordsOf = (state: ZoneState, zone: string): readonly FlatRecord[] =>
  Object.entries(state).flatMap(([name, types]) =>
    Object.entries(types).flatMap(([type, values]) =>
      Object.values(values).map((value) => ({
        owner: name === '@' ? `${zone}.` : `${name}.${zone}.`,
        type,
        value,
      })),
    ),
  )

/** The address records that an owner has after all of its ALIAS and CNAME; undefined where these lead out of the zone or never end. */
export function addressesBehind(records: readonly FlatRecord[], owner: string, zone: string) {
  let at: string | undefined = owner
  for (let hop = 0; hop <= records.length; hop++) {
    if (at !== `${zone}.` && !at.endsWith(`.${zone}.`)) return undefined
    const here: readonly FlatRecord[] = records.filter((one) => one.owner === at)
    const next: string | undefined = here.find(({ type }) => type === 'ALIAS' || type === 'CNAME')?.value
    if (next === undefined) return here.filter(({ type }) => type === 'A' || type === 'AAAA')
    at = next
  }
  return undefined
}

/** The records that an owner has: its own, or those of the wildcard at its closest encloser (RFC 4592 §3.3.1). */
function answersAt(state: ZoneState, zone: string, owner: string): readonly FlatRecord[] {
  const records = recordsOf(state, zone)
  const exists = (fqdn: string) =>
    fqdn === `${zone}.` || Object.keys(state).some((name) => `${name}.${zone}.` === fqdn)
  if (exists(owner)) return records.filter((one) => one.owner === owner)
  for (let at = owner; at !== `${zone}.`; ) {
    at = at.slice(at.indexOf('.') + 1)
    if (exists(`*.${at}`)) return records.filter((one) => one.owner === `*.${at}`)
    if (exists(at)) return []
  }
  return []
}

/** Each ALIAS and CNAME that leads out of the zone, or never ends, where it leads over names that a wildcard makes. */
export const brokenByWildcards = (state: ZoneState, zone: string): readonly string[] =>
  recordsOf(state, zone).flatMap(({ owner, type }) => {
    if (type !== 'ALIAS' && type !== 'CNAME') return []
    let at: string = owner
    for (let hop = 0; hop <= 100; hop++) {
      if (at !== `${zone}.` && !at.endsWith(`.${zone}.`)) return [`${owner} leads out of the zone`]
      const next = answersAt(state, zone, at).find((one) => one.type === 'ALIAS' || one.type === 'CNAME')
      if (next === undefined) return []
      at = next.value
    }
    return [`${owner} leads to a loop`]
  })

/** The rules of DNS, written over the records of a zone instead of over a change. Returns what breaks them. */
export function brokenRules(state: ZoneState, zone: string): readonly string[] {
  const records = recordsOf(state, zone)
  const apex = `${zone}.`
  const typesAt = (owner: string): readonly string[] =>
    records.filter((one) => one.owner === owner).map(({ type }) => type)
  const isInside = (name: string): boolean => name === apex || name.endsWith(`.${apex}`)
  const broken = (rule: string, isBroken: (one: FlatRecord, types: readonly string[]) => boolean) =>
    records
      .filter((one) => isBroken(one, typesAt(one.owner)))
      .map(({ owner, type, value }) => `${rule}: ${owner} ${type} ${value}`)
  const oneOf = (types: readonly string[], ...wanted: readonly string[]) =>
    wanted.some((type) => types.includes(type))
  const wildcards = Object.keys(state).filter((name) => name.startsWith('*.'))
  return [
    ...broken('CNAME with others', ({ type }, types) => type === 'CNAME' && types.length > 1),
    ...broken('CNAME at the apex', ({ type, owner }) => type === 'CNAME' && owner === apex),
    ...broken(
      'several ALIAS',
      ({ type }, types) => type === 'ALIAS' && types.filter((one) => one === 'ALIAS').length > 1,
    ),
    ...broken('ALIAS with addresses', ({ type }, types) => type === 'ALIAS' && oneOf(types, 'A', 'AAAA')),
    ...broken('redirect with addresses', ({ type }, types) => type === '_URL' && oneOf(types, 'A', 'AAAA')),
    ...broken('delegated wildcard', ({ type, owner }) => type === 'NS' && owner.startsWith('*')),
    ...broken(
      'data at a delegation',
      ({ type, owner }, types) =>
        owner !== apex && types.includes('NS') && !oneOf([type], 'NS', 'DS', 'A', 'AAAA'),
    ),
    ...broken(
      'DS without delegation',
      ({ type, owner }, types) => type === 'DS' && (owner === apex || !types.includes('NS')),
    ),
    ...broken(
      'name server without address',
      ({ type, value }) => type === 'NS' && isInside(value) && !oneOf(typesAt(value), 'A', 'AAAA'),
    ),
    ...broken(
      'name server that is an alias',
      ({ type, value }) => type === 'NS' && oneOf(typesAt(value), 'CNAME', 'ALIAS'),
    ),
    ...broken('PTR to a CNAME', ({ type, value }) => type === 'PTR' && typesAt(value).includes('CNAME')),
    ...broken(
      'ALIAS without end in the zone',
      ({ type, owner }) => type === 'ALIAS' && addressesBehind(records, owner, zone) === undefined,
    ),
    ...(typesAt(apex).includes('NS') ? [] : ['an apex without NS']),
    ...wildcards
      .filter((name) => typesAt(`${name.slice(2)}.${apex}`).length === 0)
      .map((name) => `${name} below a name without records`),
  ]
}
