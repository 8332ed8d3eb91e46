import { describe, expect, it } from 'vitest'
import type { Route } from '../../../src/service/api/route.ts'
import { ROUTES } from '../../../src/service/api/routes.ts'
import type { Answered } from '../api/inside.ts'
import { loginFor, type Start, STARTS } from '../api/starts.ts'
import { SHAPES } from './api-shapes.ts'
import { expectBounded, type Asked } from './bound.ts'
import { statementsDuring } from './counted.ts'
import { crowdedWorld, MANY } from './world.ts'

/** Of each list of a body or a query. */
const REPEATED = 100

const at = crowdedWorld()

interface Sent extends Omit<Start, 'route'> {
  readonly method: string
  readonly targets?: number
}

async function sent({ method, path, query = '', body, targets = 0 }: Sent) {
  const isFile = typeof body === 'string' && path.endsWith('/import')
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  at.counted.take()
  let answer: Answered | undefined
  const statements = await statementsDuring(async () => {
    answer = await at.api.send({
      method,
      path,
      query,
      authorization: loginFor(path),
      ...(text !== '' && { body: text, contentType: isFile ? 'text/dns' : 'application/json' }),
    })
  })
  const octets = path.length + query.length + text.length + (answer?.text.length ?? 0)
  const asked: Asked = { octets, targets }
  return { status: answer?.status ?? 0, text: answer?.text ?? '', asked, work: at.counted.take(), statements }
}

describe('work for one request is bounded, whatever two numbers its caller chooses:', () => {
  it.each(SHAPES)('$what', async (shape) => {
    const { status, asked, work, statements, text } = await sent(shape)
    expect([200, 201, 202, 400, 402, 409], text.slice(0, 300)).toContain(status)
    expectBounded(work, asked)
    expectBounded({ reads: statements, most: 'statements' }, asked)
  })
})

/** Each list in the value with its items again and again, each of them in another spelling of its texts. */
function multiplied(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value as readonly unknown[]
    return items.length === 0
      ? value
      : Array.from({ length: REPEATED }, (_, nth) => spelled(items[nth % items.length], nth))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, multiplied(one)]))
}

const spelled = (value: unknown, nth: number): unknown =>
  typeof value !== 'string' ? multiplied(value) : nth % 2 === 0 ? value : value.toUpperCase()

/** Parameters that may have several values, each of them as often; others once. */
const multipliedQuery = (query: string): string =>
  query
    .split('&')
    .flatMap((one) => (one.includes('[]=') || one.startsWith('filter[') ? many(one) : [one]))
    .join('&')
const many = (parameter: string): readonly string[] => {
  const [key = '', value = ''] = parameter.split('=')
  const list = key.endsWith('[]') ? key : `${key}[]`
  return Array.from({ length: 60 }, (_, nth) => `${list}=${nth % 2 === 0 ? value : value.toUpperCase()}`)
}

/** What is stored at what they name: all of the crowd, or the targets of a DDNS key. */
const WHOLE: Readonly<Partial<Record<keyof typeof ROUTES, number>>> = {
  createName: 4 * MANY,
  createRRSets: 4 * MANY,
  exportAccount: 20_000,
  exportZone: 20_000,
  importZone: 20_000,
}

const isDeletion = ({ route }: Start): boolean => route.startsWith('delete')
/** Others find what is deleted. */
const LAST_DELETED = [...STARTS.filter((one) => !isDeletion(one)), ...STARTS.filter(isDeletion)]

describe('a request to each operation with its lists repeated reads as much as they say', () => {
  it.each(LAST_DELETED)('$route $path $query', async ({ route, path, query = '', body }) => {
    const { method }: Route = ROUTES[route]
    const targets = WHOLE[route] ?? 0
    const file = typeof body === 'string' ? body.replace(/^free .*\n.*\n.*/m, '').repeat(REPEATED) : undefined
    for (const one of [
      { method, path, query, body, targets },
      { method, path, query: multipliedQuery(query), body: file ?? multiplied(body), targets },
    ]) {
      const { status, asked, work, statements } = await sent(one)
      expect(status).toBeLessThan(500)
      expectBounded(work, asked)
      expectBounded({ reads: statements, most: 'statements' }, asked)
    }
  })

  it('of all operations', () => {
    expect(new Set(STARTS.map(({ route }) => route))).toEqual(new Set(Object.keys(ROUTES)))
  })
})
