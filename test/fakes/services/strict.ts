import { isIPv4, isIPv6 } from 'node:net'
import type { FakeRecord, FakeRequest, FakeResponse, FakeWorld } from './service.ts'

// What the strict fakes of this folder share. What each service does is in its own file; the form of a
// refusal is a parameter.

export type Members = Readonly<Record<string, unknown>>
type Headers = Readonly<Record<string, string>>

/** Thrown where a request is refused: `orRefusal` answers with the response. */
export class RefusedRequest extends Error {
  readonly response: FakeResponse
  constructor(response: FakeResponse) {
    super()
    this.response = response
  }
}
/** Makes the refusal of a malformed request in the form of the service. */
type Refuse = (why: string) => RefusedRequest

export const orRefusal =
  (respond: (request: FakeRequest) => FakeResponse) =>
  (request: FakeRequest): FakeResponse => {
    try {
      return respond(request)
    } catch (error) {
      if (error instanceof RefusedRequest) return error.response
      throw error
    }
  }

/** Answers with these headers: a text as it is, anything else as JSON. `why` tells a reader what was wrong. */
export const answerWith =
  (headers: Headers) =>
  (status: number, body: unknown, why?: string, more: Headers = {}): FakeResponse => ({
    status,
    headers: { ...headers, ...(why === undefined ? {} : { 'x-fake-why': why }), ...more },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
export const answerJson = answerWith({ 'content-type': 'application/json' })
export const refuseJson = (status: number, body: unknown, why: string) =>
  new RefusedRequest(answerJson(status, body, why))

/** A list of words; the lines are for the width of the page. */
export const words = (...lines: readonly string[]) => lines.join(' ').split(' ')

export const isInteger = (value: unknown): value is number => Number.isInteger(value)
export const isV6 = (text: string) => isIPv6(text) && !text.includes('%')
export const canonicalAddress = (text: string) =>
  isV6(text) ? new URL(`http://[${text}]/`).hostname.slice(1, -1) : text
export const canonicalValue = (type: string, value: string) =>
  type === 'AAAA' ? canonicalAddress(value) : value
export const isValue = (type: string, value: unknown): value is string => {
  if (typeof value !== 'string' || value === '') return false
  return type === 'A' ? isIPv4(value) : type === 'AAAA' ? isV6(value) : true
}
/** As `isValue`, but an IPv6 address may have a zone index (`%eth0`), and another value may be empty. */
export const fitsType = (type: unknown, value: string) =>
  type === 'A' ? isIPv4(value) : type === 'AAAA' ? isIPv6(value) : true

/** The longest zone of the account that the name is in. */
export const zoneOfName = (world: FakeWorld, name: string) =>
  world.zones
    .filter((zone) => name === zone || name.endsWith(`.${zone}`))
    .sort((a, b) => b.length - a.length)[0]
/** The name without its zone: `apex` for the zone itself. */
export const labelIn = (zone: string, name: string, apex: '' | '@') =>
  name === zone ? apex : name.slice(0, -zone.length - 1)

export const isLabel = (label: unknown): label is string =>
  typeof label === 'string' && /^(\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|)$/.test(label)

/** The id of each thing, made when it is first asked for; `make` gets the number of those before it. */
export const idsOf = <Id>(make: (before: number) => Id) => {
  const ids = new Map<object | string, Id>()
  return (thing: object | string) => {
    const id = ids.get(thing) ?? make(ids.size)
    ids.set(thing, id)
    return id
  }
}

export const setRecords = (world: FakeWorld, records: readonly FakeRecord[]) =>
  world.records.splice(0, world.records.length, ...records)
/** Puts records where the first of the old ones was. */
export const putInPlace = (world: FakeWorld, old: readonly FakeRecord[], fresh: readonly FakeRecord[]) => {
  const place = world.records.findIndex((record) => old.includes(record))
  const kept = world.records.filter((record) => !old.includes(record))
  kept.splice(place < 0 ? kept.length : place, 0, ...fresh)
  setRecords(world, kept)
}
/** Puts records in place of the old ones; those of them that were old stay where they are. */
export const putOver = (world: FakeWorld, old: readonly FakeRecord[], fresh: readonly FakeRecord[]) => {
  const kept = world.records.filter((record) => !old.includes(record) || fresh.includes(record))
  setRecords(world, [...kept, ...fresh.filter((record) => !kept.includes(record))])
}
/** All changes, or none if one of them is refused. */
export const allOrNone = <Result>(world: FakeWorld, change: () => Result): Result => {
  const saved = world.records.map((record) => ({ record, copy: { ...record, extra: { ...record.extra } } }))
  try {
    return change()
  } catch (error) {
    setRecords(
      world,
      saved.map(({ record, copy }) => Object.assign(record, copy)),
    )
    throw error
  }
}
export const isCnameClash = (world: FakeWorld, name: string, type: string) =>
  world.records.some((record) => record.name === name && (record.type === 'CNAME') !== (type === 'CNAME'))

// Requests, of the fakes that throw a refusal

const isWellEncoded = (text: string, allowed: RegExp) =>
  allowed.test(text) && !/%(?![0-9A-Fa-f]{2})/.test(text)
const decoded = (text: string, badRequest: Refuse) => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw badRequest('escapes are not UTF-8')
  }
}
export const readTarget = (target: string, badRequest: Refuse) => {
  const [path = '', ...rest] = target.split('?')
  const query = rest.join('?')
  if (!isWellEncoded(path, /^\/[\w\-.~!$&'()*+,;=:@%/]*$/)) throw badRequest('path is not percent-encoded')
  if (!isWellEncoded(query, /^[\w\-.~!$'()*+,;=:@%/?&]*$/)) throw badRequest('query is not percent-encoded')
  const parameters = new Map<string, string>()
  for (const pair of query === '' ? [] : query.split('&')) {
    const [name = '', value] = pair.split('=').map((part) => decoded(part.replaceAll('+', ' '), badRequest))
    if (value === undefined) throw badRequest(`query parameter ${name} has no value`)
    if (parameters.has(name)) throw badRequest(`query parameter ${name} twice`)
    parameters.set(name, value)
  }
  return { path, parameters }
}
/** The parts of a path below `root`, decoded: none of another path. */
export const readParts = (path: string, root: string, badRequest: Refuse) =>
  path.startsWith(root)
    ? path
        .slice(root.length)
        .split('/')
        .map((part) => decoded(part, badRequest))
    : []
/** Checks of one route, in this order: the method, the names in the query, and no body where none belongs. */
export const routeChecks =
  (
    { method, body }: FakeRequest,
    parameters: ReadonlyMap<string, string>,
    badRequest: Refuse,
    wrongMethod: Refuse,
    withoutBody: readonly string[] = ['GET', 'DELETE'],
  ) =>
  (methods: readonly string[], ...names: readonly string[]) => {
    if (!methods.includes(method)) throw wrongMethod(`method ${method}`)
    for (const name of parameters.keys())
      if (method !== 'GET' || !names.includes(name)) throw badRequest(`unknown query ${name}`)
    if (withoutBody.includes(method) && body !== '') throw badRequest(`body on ${method}`)
  }
/** A number from 1 to `most` in the query, such as `page`. */
export const readCount = (
  parameters: ReadonlyMap<string, string>,
  name: string,
  [fallback, most]: readonly [fallback: number, most: number],
  wrong: (name: string, why: string) => RefusedRequest,
) => {
  const text = parameters.get(name) ?? String(fallback)
  if (/^[1-9]\d*$/.test(text) && Number(text) <= most) return Number(text)
  throw wrong(name, `must be between 1 and ${most}`)
}
export const mediaTypeOf = (request: FakeRequest) =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
export const readJson = (request: FakeRequest, badRequest: Refuse, notJson = badRequest): unknown => {
  const type = mediaTypeOf(request)
  if (type !== 'application/json') throw badRequest(`content type is ${type === '' ? 'missing' : type}`)
  try {
    return JSON.parse(request.body)
  } catch {
    throw notJson('body is not JSON')
  }
}
export const readObject = (value: unknown, what: string, badRequest: Refuse): Members => {
  if (isMembers(value)) return value
  throw badRequest(`${what} is not an object`)
}
export const readBody = (request: FakeRequest, badRequest: Refuse, notJson = badRequest) =>
  readObject(readJson(request, badRequest, notJson), 'body', badRequest)
export const onlyMembers = (body: Members, members: readonly string[], badRequest: Refuse) => {
  for (const member of Object.keys(body))
    if (!members.includes(member)) throw badRequest(`unknown member ${member}`)
}

// Requests, of the fakes that return a refusal

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** The value of a JSON text, or undefined. */
export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
export const splitTarget = (target: string) => {
  const [path = '', search = ''] = target.split('?')
  return { path, search, query: new URLSearchParams(search) }
}
export const isEncoded = (target: string) => /^([\w.~!$&'()*+,;=:@/?-]|%[0-9A-F]{2})*$/i.test(target)
/** Whether the content type is this one, with parameters or without. */
export const isSentAs = (type: string, { headers }: FakeRequest) =>
  headers['content-type']?.split(';')[0]?.trimEnd().toLowerCase() === type
/** The first parameter that is not one of these, or is there twice. */
export const strayQuery = (query: URLSearchParams, allowed: readonly string[]) =>
  [...query.keys()].find((key) => !allowed.includes(key) || query.getAll(key).length > 1)
/** As the services with a signature want it: RFC 3986. */
export const percentEncoded = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
