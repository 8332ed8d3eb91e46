import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { curlLines, exampleBody } from '../../../../src/service/api/docs/example.ts'
import { type DescribedApi, placedOperations } from '../../../../src/service/api/docs/described.ts'
import { describedOnce } from '../../../../src/service/api/docs/description.ts'
import { docsPage } from '../../../../src/service/api/docs/docs-page.ts'
import { refusalsIn } from '../../../../src/service/api/docs/operation-view.ts'
import { openApi } from '../../../../src/service/api/openapi/openapi.ts'
import { REQUEST_FAULTS } from '../../../../src/service/api/request/faults.ts'
import { refusalsOf, type Route } from '../../../../src/service/api/route.ts'
import { ROUTES } from '../../../../src/service/api/routes.ts'
import { ERRORS } from '../../../../src/service/model/errors.ts'
import { requestMisfit } from '../document.ts'
import { apiWorld, type World } from '../world.ts'

const DOCUMENT = openApi({ name: 'An API', version: '1.2.3' })
const PAGE = docsPage(DOCUMENT)
const OPERATIONS = placedOperations(DOCUMENT as unknown as DescribedApi)
const SCHEMAS = (DOCUMENT as unknown as DescribedApi).components.schemas

/** The section with an anchor. */
function sectionOf(id: string): string {
  const [found] = PAGE.split(`<section id="${id}">`)[1]?.split('</section>') ?? []
  if (found === undefined) throw new Error(`there is no section ${id}`)
  return found
}
const idsIn = (page: string): readonly string[] =>
  [...page.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)
const linksIn = (page: string): readonly string[] =>
  [...page.matchAll(/ href="([^"]*)"/g)].map(([, to = '']) => to)

describe('the page of the API', () => {
  it.each(Object.entries<Route>(ROUTES))(
    '%s: has its method, path, parameters, refusals and an example',
    (id, route) => {
      const section = sectionOf(id)
      const { parameters = [], responses } = OPERATIONS.find(({ operationId }) => operationId === id) ?? {}

      expect(section).toContain(`<b>${route.method}</b> <code>/v1${route.path}</code>`)
      expect(section).toContain(`<a href="#${id}">${route.summary}</a>`)
      for (const { name } of parameters) expect(section).toContain(`<code>${name}</code>`)
      for (const status of Object.keys(responses ?? {}))
        expect(section).toContain(`<td data-label="Status">${status}</td>`)
      for (const { code, meaning } of refusalsOf(route).map((one) => ERRORS[one]))
        expect(section).toContain(`<code>${code}</code> ${meaning}</li>`)
      expect(section).toContain('<pre>curl ')
      expect(PAGE).toContain(`<li><a href="#${id}">`)
    },
  )

  it('has the fields of each schema', () => {
    for (const [name, { properties = {} }] of Object.entries(SCHEMAS))
      for (const field of Object.keys(properties as object))
        expect(sectionOf(`schema-${name}`)).toContain(`<code>${field}</code>`)
    expect(Object.keys(SCHEMAS).length).toBeGreaterThan(20)
  })

  it('has each anchor once, and links to anchors and to the document alone', () => {
    const ids = idsIn(PAGE)
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
    expect(linksIn(PAGE).filter((to) => to !== 'openapi.json' && !ids.includes(to.slice(1)))).toEqual([])
    expect(linksIn(PAGE)).toContain('openapi.json')
  })

  it('groups the operations by tag', () => {
    const titles = [...PAGE.matchAll(/<h2 id="tag-[^"]+">([^<]+)/g)].map(([, title]) => title)
    expect(titles).toEqual([
      'Account',
      'DDNS Keys',
      'API Keys',
      'TSIG Keys',
      'Operator',
      'Meta',
      'Zones',
      'Zone authorities',
      'Clients',
      'ACME',
      'Records',
    ])
  })
})

it('a title with a semicolon is one title', () =>
  expect(refusalsIn('403 suspended; contact support; 2465 unauthorized')).toEqual([
    ['403', 'suspended; contact support'],
    ['2465', 'unauthorized'],
  ]))

it('every fault of requests can be taken apart again', () => {
  const all = Object.values(REQUEST_FAULTS).map(({ code, title }) => [code, title])
  expect(refusalsIn(all.map((one) => one.join(' ')).join('; '))).toEqual(all)
})

describe('the example of each operation', () => {
  it.each(OPERATIONS.map((one) => [one.operationId, one] as const))(
    '%s: is a request of the document',
    (_, operation) => {
      const { method, path, requestBody, security } = operation
      const text = curlLines(operation, SCHEMAS).join('\n')
      const body = exampleBody(operation, SCHEMAS)

      if (requestBody === undefined) expect(body).toBeUndefined()
      else expect(requestMisfit({ method, path: path.replaceAll(/\{\w+\}/g, 'x') }, body)).toBeUndefined()
      expect(text).not.toMatch(/[{}]\w+\}|undefined|\bnull\b/)
      expect(text.includes('-u :$KEY')).toBe(security === undefined)
      expect(text).toContain(`$URL${path.split('{')[0]}`)
    },
  )

  it('has a quote that a shell understands', () => {
    const content = { 'text/plain': { schema: { type: 'string', enum: ["it's"] } } }
    const operation = { operationId: 'x', summary: '', tags: [], method: 'PUT', path: '/x', responses: {} }
    expect(curlLines({ ...operation, requestBody: { required: true, content } }, {})).toEqual([
      'curl -u :$KEY -X PUT $URL/x \\',
      "  -H 'content-type: text/plain' \\",
      String.raw`  -d 'it'\''s'`,
    ])
  })
})

describe('text of a document', () => {
  const EVIL = `<script src="https://evil.example/x">"'\`&`
  const schema = { type: EVIL, description: EVIL, pattern: EVIL, default: EVIL }
  const content = { [EVIL]: { schema: { type: 'object', properties: { [EVIL]: { enum: [EVIL] } } } } }
  const parameter = { name: EVIL, in: EVIL, required: true, description: EVIL, schema }
  const page = docsPage({
    info: { title: EVIL, version: EVIL, description: EVIL },
    paths: {
      [`/${EVIL}/{${EVIL}}`]: {
        [EVIL]: {
          operationId: EVIL,
          summary: EVIL,
          tags: [EVIL],
          parameters: [parameter, { ...parameter, schema: { $ref: `#/${EVIL}` } }],
          requestBody: { required: false, content },
          responses: {
            200: { description: EVIL, headers: { [EVIL]: {} }, content },
            400: { description: `400 ${EVIL}; 401 ${EVIL}`, headers: { [EVIL]: {} }, content },
          },
        },
      },
    },
    components: {
      schemas: { [EVIL]: { ...schema, properties: { [EVIL]: schema } }, b: { oneOf: [schema] } },
    },
  })

  it('is never markup', () => {
    expect(page).toContain('&lt;script')
    const tags = [...page.matchAll(/<(\/?[a-z0-9!]+)/gi)].map(([, tag = '']) => tag.replace('/', ''))
    expect([...new Set(tags)].toSorted()).toEqual([
      '!doctype',
      'a',
      'b',
      'body',
      'code',
      'details',
      'h1',
      'h2',
      'h3',
      'h4',
      'head',
      'header',
      'html',
      'li',
      'main',
      'meta',
      'nav',
      'p',
      'pre',
      'section',
      'span',
      'style',
      'summary',
      'table',
      'tbody',
      'td',
      'th',
      'thead',
      'title',
      'tr',
      'ul',
    ])
    const attributes = page
      .split(/<[a-z0-9!]+/i)
      .slice(1)
      .flatMap((rest) =>
        [...(rest.split('>')[0] ?? '').matchAll(/ ([a-z-]+)(?:=("[^"]*")?)?/g)].map(([, name]) => name),
      )
    expect([...new Set(attributes)].toSorted()).toEqual([
      'aria-label',
      'charset',
      'class',
      'content',
      'data-label',
      'href',
      'html',
      'id',
      'lang',
      'name',
      'scope',
      'tabindex',
    ])
  })

  it.each([
    ['of the service', PAGE],
    ['of any service', page],
  ])('%s leads to no other host', (_, text) => {
    const loaded = [...text.matchAll(/(?: (?:href|src|action)="|url\(|@import )([^")]*)/g)].map(
      ([, to = '']) => to,
    )
    expect(loaded.filter((to) => !to.startsWith('#') && to !== 'openapi.json')).toEqual([])
    expect(loaded.length).toBeGreaterThan(3)
  })
})

it('the page is made at the first request, and once', () => {
  let made = 0
  const { page } = describedOnce({
    get name() {
      made += 1
      return 'An API'
    },
    version: '1.2.3',
  })
  expect(made).toBe(0)
  expect([page(), page()]).toEqual([PAGE, PAGE])
  expect(made).toBe(1)
})

describe('GET /v1/docs', () => {
  let world: World
  beforeAll(async () => void (world = await apiWorld()))
  afterAll(async () => world.close())
  const get = async (query = '', method = 'GET') => fetch(`${world.url}/v1/docs${query}`, { method })

  it('is answered without credentials, with a policy for its own style alone', async () => {
    const response = await get()
    const text = await response.text()
    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')

    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(response.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(text).not.toContain('undefined')
    expect(idsIn(text)).toEqual(idsIn(PAGE))
  })

  it('is answered to HEAD without a body, and refused with a query', async () => {
    const head = await get('', 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
    const refused = await get('?x=1')
    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'application/json'])
    const posted = await get('', 'POST')
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})
