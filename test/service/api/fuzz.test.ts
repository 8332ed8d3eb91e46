import { afterAll, expect, it } from 'vitest'
import { seededRandom } from '../../bench/fleet-random.ts'
import { runs, SEED } from '../../runs.ts'
import type { Route } from '../../../src/service/api/route.ts'
import { ROUTES } from '../../../src/service/api/routes.ts'
import { loginFor, STARTS } from './starts.ts'
import { type Answered, type Asked, type Inside, inside } from './inside.ts'
import { apiWorld, PASSWORD, type World } from './world.ts'

/** A database behind a socket takes ten times as long. */
const REQUESTS = runs(process.env['HOLDFAST_TEST_STORE'] === 'postgres' ? 600 : 5100)
const REQUESTS_PER_WORLD = 600
const CONCURRENCY = 60

const random = seededRandom(SEED)
const upTo = (n: number): number => Math.floor(random() * n)
function pick<T>(list: readonly T[]): T {
  const one = list[upTo(list.length)]
  if (one === undefined && list.length === 0) throw new Error('nothing to pick from')
  return one as T
}
const isLucky = (chance: number): boolean => random() < chance

const LONG = 'x'.repeat(5000)
const TEXTS: readonly string[] = [
  '',
  '@',
  '*',
  '*.a',
  'a.*',
  '.',
  '..',
  'a..b',
  '-a',
  '_',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff',
  'a\ud83d',
  '\u202e',
  '\ufeff',
  'münchen',
  'İ',
  'ß',
  'ſ',
  '%00',
  '%2e%2e',
  '%25zz',
  '%',
  '\n',
  '\r\n',
  '\t',
  ' ',
  '"',
  '"""',
  '\\',
  '"\\',
  '"\\256"',
  '"\\9"',
  "'",
  "' OR 1=1 --",
  '; DROP TABLE name',
  '1e309',
  '-1',
  '0x10',
  '١',
  'NaN',
  'null',
  'true',
  '9007199254740993',
  '99999999999999999999',
  LONG,
  'a.'.repeat(120),
  `${'a'.repeat(63)}.`.repeat(4),
  'a'.repeat(64),
  '::',
  '::1%eth0',
  '::ffff:1.2.3.4',
  '1.2.3.4',
  '0.0.0.0',
  '1.2.3',
  'http://[::1',
  'http://a:99999/',
  'https://u:p@h/',
  'javascript:1',
  'http://\u3002',
  'http://xn--a/',
  '0 .',
  '70000 a.',
  'free.example.test',
  'example.test',
  'bob.dyn.test',
  'kkk1111',
  'kkk9999',
  'A',
  'a',
  'NS',
  'SOA',
  'CNAME',
  'ALIAS',
  '_URL',
  '0 issue ";"',
  '1 2 3 .',
  'a@b',
  '@@',
  `${LONG}@x`,
  '[]',
  '{}',
  '{"and":[]}',
  '{"or":[{"op":1}]}',
  '\u0130.test',
]
const WELL_FORMED = TEXTS.filter((text) => !/\p{Surrogate}/u.test(text))
const NUMBERS = [
  0,
  -0,
  -1,
  1,
  1.5,
  2 ** 31,
  2 ** 53,
  1e21,
  1e308,
  -1e308,
  60,
  604_800,
  604_801,
  Number.EPSILON,
]
const deep = (n: number): string => `${'['.repeat(n)}1${']'.repeat(n)}`

function junk(depth = 0): unknown {
  switch (upTo(depth > 3 ? 5 : 8)) {
    case 0:
      return null
    case 1:
      return isLucky(0.5)
    case 2:
      return pick(NUMBERS)
    case 3:
    case 4:
      return pick(TEXTS)
    case 5:
      return Array.from({ length: upTo(4) }, () => junk(depth + 1))
    case 6:
      return Object.fromEntries(Array.from({ length: upTo(4) }, () => [pick(TEXTS), junk(depth + 1)]))
    default:
      return pick(STARTS).body ?? {}
  }
}

const FIELDS = [
  'name',
  'rrsets',
  'metadata',
  'update_group',
  'offline',
  'offline_settings',
  'dns_type',
  'ttl',
  'rdata',
  'value',
  'label',
  'action',
  'url',
  'title',
  'message',
  'logo_url',
  'email',
  'description',
  'default_ttl',
  'hostnames',
  'regenerate_password',
  'zone_name',
  'scopes',
  'old_password',
  'new_password',
  'expires_at',
  'constructor',
  'toString',
  'length',
  '',
  '0',
]
/** The value with one part replaced, removed, duplicated or added. */
function mutated(value: unknown): unknown {
  if (isLucky(0.12)) return junk()
  if (Array.isArray(value)) {
    const list = value as readonly unknown[]
    switch (upTo(6)) {
      case 0:
        return [...list, ...list]
      case 1:
        return list.slice(1)
      case 2:
        return [...list, junk()]
      case 3:
        return Object.fromEntries(list.entries())
      default:
        return list.map(mutated)
    }
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    if (isLucky(0.15)) return Object.fromEntries([...entries, [pick(FIELDS), junk()]])
    if (isLucky(0.1)) return Object.fromEntries(entries.slice(1))
    if (isLucky(0.05)) return [value]
    const at = upTo(entries.length)
    return Object.fromEntries(entries.map(([key, one], n) => [key, n === at ? mutated(one) : one]))
  }
  if (typeof value === 'string' && isLucky(0.3)) return scratched(value)
  return isLucky(0.8) ? pick(TEXTS) : junk()
}

/** Text with characters removed, inserted, duplicated or changed. */
function scratched(text: string): string {
  let result = text
  for (let n = upTo(3); n >= 0; n--) {
    const at = upTo(result.length + 1)
    const rest = result.slice(at + upTo(3))
    const char = isLucky(0.5)
      ? pick(TEXTS).slice(0, 40)
      : String.fromCharCode(upTo(isLucky(0.7) ? 128 : 65_536))
    result = result.slice(0, at) + (isLucky(0.6) ? char : '') + rest
  }
  return result
}

function jsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  switch (upTo(24)) {
    case 0:
      return scratched(text)
    case 1:
      return text.replace('{', '{"__proto__":{"isReadOnly":false},')
    case 2:
      return text.replace(/"(\w+)":/, '"$1":1,"$1":')
    case 3:
      return deep(upTo(80))
    case 4:
      return deep(pick([31, 32, 33, 1000, 30_000]))
    case 5:
      return text.replace(/:/, `:${'9'.repeat(upTo(400))}e${upTo(400)}+`.replace('+', ''))
    case 6:
      return `\ufeff${text}`
    case 7:
      return text.replaceAll('"', isLucky(0.5) ? '\u0000' : '\\u0022')
    case 8:
      return text.replace(/"value":"/, '"value":"\\ud800\\u0000')
    case 9:
      return text.slice(0, upTo(text.length))
    default:
      return text
  }
}

const ODD_PARTS = [
  '%',
  '%zz',
  '%2',
  '%c0%af',
  '%ff',
  '%00',
  '%2f',
  '%2F..%2f',
  '%2540',
  '%252f',
  '..',
  '.',
  '*',
  '@',
  '%20',
  '%0d%0a',
  '%ed%a0%80',
  '%F0%9F%92%A9',
]
function oddPath(path: string): string {
  const parts = path.split('/')
  const at = 1 + upTo(parts.length - 1)
  switch (upTo(8)) {
    case 0:
      return parts.with(at, pick(ODD_PARTS)).join('/')
    case 1:
      return parts.with(at, encodeURIComponent(pick(WELL_FORMED))).join('/')
    case 2:
      return parts.toSpliced(at, 1).join('/')
    case 3:
      return parts.toSpliced(at, 0, pick(ODD_PARTS)).join('/')
    case 4:
      return `${path}${pick(['/', '//', '/x', '%', '?', '#', ';a=b', LONG])}`
    case 5:
      return scratched(path)
    case 6:
      return path.replace(/[a-z]/g, (char) => (isLucky(0.3) ? char.toUpperCase() : char))
    default:
      return parts.with(at, pick(TEXTS)).join('/')
  }
}

const CONDITION = '{"op":"contains","key":"k","value":"v"}'
const conditions = (n: number): string => Array.from({ length: n }, () => CONDITION).join(',')
const QUERIES = [
  'limit=1e9',
  'limit=-1',
  'limit=',
  'limit=1&limit=2',
  'limit[]=1',
  'limit[a]=1',
  'limit=999999999999999',
  'limit=٣',
  'limit=1.0',
  'offset=999999999999999',
  'offset=1e3',
  'offset=9007199254740993',
  'sort=name',
  'sort[name]=up',
  'sort[colour]=asc',
  'sort[]=asc',
  'sort[name]=asc&sort[name]=desc',
  'sort[__proto__]=asc',
  'sort[constructor]=asc',
  'sort[name][]=asc',
  'sort=a&sort[name]=asc',
  'filter=x',
  'filter[]=x',
  'filter[__proto__]=x',
  'filter[zone_is_shared]=maybe',
  'filter[is_shared]=maybe',
  'filter[dynupdate]=true&filter[dynupdate]=false',
  'filter[dns_type]=',
  'filter[rdata][]=%00',
  'filter[label]=%ff',
  'filter[constructor]=x',
  'filter[name]=%F0%9F%92%A9',
  '__proto__=x',
  '__proto__[limit]=3',
  'view=',
  'view=constructor',
  'view[]=detail',
  'expand=x',
  'expand[]=',
  'expand[a]=b',
  'metadata=',
  'metadata={',
  'metadata=[]',
  'metadata=null',
  'metadata={"and":[]}',
  'metadata={"or":[]}',
  'metadata={"and":{"or":[]}}',
  'metadata[op]=exact&metadata[key]=k&metadata[value]=v',
  'metadata={"op":"exact","key":"__proto__","value":"x"}',
  'metadata={"op":"exact","key":1,"value":null}',
  'zone_metadata=%00',
  '&&&',
  '=',
  '[]=',
  '%',
  '%zz=%zz',
  '[',
  'a[b[c]]=d',
  `metadata=${'{"and":['.repeat(16)}${']}'.repeat(16)}`,
  `metadata=${'{"or":['.repeat(3000)}`,
  `filter[name]=${LONG}`,
  Array.from({ length: 120 }, (_, n) => `filter[name][]=${n}`).join('&'),
  `metadata={"and":[${conditions(64)}]}`,
  `rrset_metadata={"or":[${conditions(65)}]}`,
]
function oddQuery(query: string): string {
  const parts = query.split('&').filter((part) => part !== '')
  switch (upTo(5)) {
    case 0:
      return [...parts, pick(QUERIES)].join('&')
    case 1:
      return scratched(query)
    case 2:
      return parts
        .map((part) => (isLucky(0.4) ? part.replace(/=.*/s, () => `=${pick(TEXTS)}`) : part))
        .join('&')
    case 3:
      return [...parts, ...parts].join('&')
    default:
      return Array.from({ length: 1 + upTo(3) }, () => pick(QUERIES)).join('&')
  }
}

const TYPES = [
  'application/json; charset=utf-8',
  'text/plain',
  '',
  'application/jsonx',
  'APPLICATION/JSON',
  'a/b+json',
  '\0',
  LONG,
]
const AUTH = [
  'Bearer',
  'Bearer x',
  'Basic',
  'Basic !!',
  'Basic OmtleS1vZi1h',
  'bearer key-of-a',
  'Bearer key-of-b',
  'Bearer reader-of-a',
  '\0',
  LONG,
  'Basic Og==',
  'Bearer \ud800',
  `Basic ${Buffer.from(`a:${LONG}`).toString('base64')}`,
  `Basic ${Buffer.from(`a:${PASSWORD}`).toString('base64')}`,
]

const KEEPING = STARTS.filter(({ route }) => !route.startsWith('delete'))

const OTHER_ZONES = ['frozen.test', 'web.test', 'dyn.test', 'closed.test', 'vip.test', 'b.test', 'noadd.test']

const textFrom = (base: unknown): string =>
  typeof base === 'string' ? scratched(base) : jsonText(isLucky(0.8) ? mutated(base) : base)

function made(): Asked {
  // Fewer deletions, so that other requests find data.
  const start = pick(isLucky(0.9) ? KEEPING : STARTS)
  const { method, takesFile }: Route = ROUTES[start.route]
  const type = takesFile ? 'text/dns' : 'application/json'
  const isBodied = method !== 'GET' && method !== 'DELETE'
  const base = start.body ?? {}
  const peer = `10.${upTo(256)}.${upTo(256)}.${upTo(256)}`
  const elsewhere = pick(STARTS).path
  const here = isLucky(0.04) ? elsewhere : start.path
  const path = isLucky(0.08) ? here.replace('example.test', pick(OTHER_ZONES)) : here
  return {
    method: isLucky(0.02)
      ? pick(['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH', 'OPTIONS', 'get', ''])
      : method,
    path: isLucky(0.15) ? oddPath(path) : path,
    query: isLucky(method === 'GET' ? 0.7 : 0.05) ? oddQuery(start.query ?? '') : (start.query ?? ''),
    authorization: isLucky(0.04) ? pick(AUTH) : loginFor(start.path),
    peer,
    ...(isLucky(0.98) && { contentType: isLucky(0.03) ? pick(TYPES) : type }),
    ...(isLucky(0.02) && { origin: pick(TEXTS) }),
    ...(isLucky(0.03) && { ifMatch: isLucky(0.5) ? '*' : pick(['"x"', 'W/""', '', ',', ...TEXTS]) }),
    ...((isBodied || isLucky(0.02)) &&
      isLucky(0.99) && { body: isLucky(0.02) ? pick(TEXTS) : textFrom(base) }),
  }
}

/** The first fault of a response. */
function wrongWith({ status, headers, text }: Answered): string | undefined {
  // Imports without dry_run, at the same time.
  if (status === 503 && text.includes('others change the same data')) return undefined
  if (status >= 500) return 'a fault on our side'
  if (status === 200 && headers['content-type']?.startsWith('text/dns')) return undefined
  if (status === 204 || headers['content-type'] !== 'application/json') return 'no JSON'
  if (status === 200 && text.startsWith('{"openapi"')) return undefined
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>
  const { errors, warnings } = body
  const isText = (one: unknown): boolean => typeof one === 'string' && one !== ''
  const isTold = (one: unknown, ...keys: readonly string[]): boolean =>
    typeof one === 'object' &&
    one !== null &&
    keys.every((key) => isText((one as Record<string, unknown>)[key]))
  if (!Array.isArray(warnings)) return 'warnings is no list'
  if (!warnings.every((one) => isTold(one, 'code', 'title'))) return 'a warning says nothing'
  if (status < 300) return errors === undefined ? undefined : 'errors in a success'
  if (![400, 401, 402, 403, 404, 405, 409, 412, 413, 415, 422, 429].includes(status))
    return 'a strange status'
  if (!Array.isArray(errors) || errors.length === 0) return 'no errors'
  if (!errors.every((one) => isTold(one, 'id', 'code', 'title'))) return 'an error says nothing'
  if ((status === 401) !== (headers['www-authenticate'] !== undefined)) return 'no challenge'
  if ((status === 405) !== (headers['allow'] !== undefined)) return 'no Allow'
  return undefined
}

let world: World | undefined
afterAll(async () => world?.close())

it('the fuzzer starts from a successful request to every route', async () => {
  const fresh = await apiWorld()
  try {
    const { send } = inside(fresh.store)
    expect(new Set(STARTS.map(({ route }) => route))).toEqual(new Set(Object.keys(ROUTES)))
    const failed: string[] = []
    for (const { route, path, query = '', body } of STARTS) {
      const { method } = ROUTES[route]
      if (method !== 'GET') continue
      const answer = await send({ method, path, query, authorization: loginFor(path) })
      if (answer.status >= 300) failed.push(`${path}?${query}: ${answer.text} ${JSON.stringify(body)}`)
    }
    expect(failed).toEqual([])
  } finally {
    await fresh.close()
  }
})

it(`${REQUESTS} mutated requests (HOLDFAST_TEST_SEED=${SEED}) get well-formed responses without a 5xx`, async () => {
  const seen = new Map<number, number>()
  const bad = new Map<string, string>()
  let api: Inside | undefined
  for (let n = 0; n < REQUESTS; n += CONCURRENCY) {
    if (n % REQUESTS_PER_WORLD === 0 || api === undefined) {
      await world?.close()
      world = await apiWorld()
      const { store, ids } = world
      await store.write(async (w) => w.changePlan(ids['plan-a'] ?? 0, { maxNames: 2000, maxRdata: 2000 }))
      api = inside(store)
    }
    const { send, lines } = api
    const asked = Array.from({ length: CONCURRENCY }, made)
    const before = lines.length
    const answers = await Promise.all(asked.map(send))
    for (const [at, answer] of answers.entries()) {
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
      const wrong = wrongWith(answer)
      if (wrong !== undefined) {
        const log = JSON.stringify(lines.slice(before).map(({ fields }) => fields)).slice(0, 600)
        const key = `${wrong}: ${answer.status} ${asked[at]?.method} ${log.slice(0, 120)}`
        if (!bad.has(key))
          bad.set(
            key,
            `${wrong}\n${JSON.stringify(asked[at]).slice(0, 900)}\n${answer.text.slice(0, 300)}\n${log}`,
          )
      }
    }
    if (lines.length > before && bad.size === 0)
      bad.set('log', JSON.stringify(lines.slice(before)).slice(0, 900))
    if (bad.size >= 8) break
  }
  expect([...bad.values()].join('\n\n')).toBe('')
  expect((seen.get(200) ?? 0) + (seen.get(201) ?? 0) + (seen.get(202) ?? 0)).toBeGreaterThan(REQUESTS / 20)
})
