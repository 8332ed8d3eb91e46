import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '../e2e/processes.ts'
import { isLarge } from '../large.ts'
import { openBrowser, openPage } from './browser.ts'
import { HOSTILE, plant, plantRecords, type Planted, quoted } from './hostile-texts.ts'
import { contentOf, faultsOf } from './page-content.ts'
import { signIn } from './sign-in.ts'

const PAYLOADS = Object.values(HOSTILE)
/** Those that have pages of their own in each run. */
const WORST = new Set(['the end of a value', 'the place of a token', 'control characters'])
const hasPages = (nth: number): boolean => isLarge || WORST.has(Object.keys(HOSTILE)[nth] ?? '')

/** Names as people give them, and as the DNS has them (RFC 5890). */
// biome-ignore format: a table
const ODD_NAMES: Readonly<Record<string, string>> = {
  '*.all':    '*.all.example.test',
  '_x.all':   '_x.all.example.test',
  'bücher':   'xn--bcher-kva.example.test',
  'مثال':      'xn--mgbh0fb.example.test',
}

let browser: Browser
let at: Service & { readonly end: () => Promise<void> }
let planted: readonly Planted[]
beforeAll(async () => {
  ;[browser, at] = await Promise.all([openBrowser(), startService({}, '--key-request-limit', '100000')])
  planted = await Promise.all(PAYLOADS.map(async (payload, nth) => plant(at, payload, nth)))
  await plantRecords(at, 'all', PAYLOADS)
  for (const name of Object.keys(ODD_NAMES)) await plantRecords(at, name, ['one'])
})
afterAll(async () => {
  await browser.close()
  await at.end()
})

const encoded = encodeURIComponent

/** What is at a path, or after this was sent from there. */
type Shown = readonly (readonly [
  path: string,
  texts: readonly string[],
  sent?: Readonly<Record<string, string>>,
])[]

/** The pages that show one payload; each has to show these texts. */
const pagesOfOne = ({ zone, hostname, username, value, caa, agent, description }: Planted): Shown => [
  [`names/example.test/${hostname.split('.')[0]}`, [value, caa, agent]],
  [`keys/ddns/${username}`, [description, agent]],
  [`zones/${zone}`, [description]],
]

const pagesOfAll = (): Shown => [
  ['keys', planted.map(({ description }) => description)],
  ['zones', planted.map(({ description }) => description)],
  ['trail?name=all.example.test', PAYLOADS.slice(0, 2)],
  ['names', [...planted.map(({ hostname }) => hostname), ...Object.values(ODD_NAMES)]],
  ['names/example.test/*.all', ['*.all.example.test']],
  [`names/example.test/${encoded('مثال')}`, ['xn--mgbh0fb.example.test']],
  ['names/example.test/all', planted.flatMap(({ value, caa }) => [value, caa])],
  ['account', planted.map(({ agent }) => agent)],
]

/** The pages that show what is in their own address. */
const pagesOfAddress = (text: string): Shown => [
  [`names?search=${encoded(text)}&state=${encoded(text)}&after=${encoded(text)}`, []],
  [`names?search=${encoded(text)}`, [text]],
  [`trail?zone=${encoded(text)}&name=${encoded(text)}&actor=${encoded(text)}`, [text]],
  [`trail?from=${encoded(text)}`, []],
  [`keys/new?hostname=${encoded(text)}`, [text]],
  [`names/example.test/home?undo=TXT&before=${encoded(`60 ${quoted(text)}`)}`, [quoted(text)]],
  [`names/example.test/${encoded(text)}`, []],
  [`zones/${encoded(text)}?check=yes`, []],
  [`zones/${encoded(text)}/import`, []],
  [`keys/ddns/${encoded(text)}`, []],
  [encoded(text), []],
]

/** The pages that show what a form has sent: for a review, or because it is refused. */
const pagesOfForms = (text: string): Shown => [
  ['names/example.test/all', [quoted(text)], { value: `0 issue ${quoted(text)}` }],
  ['names/example.test/office', [text], { value: text }],
  ['names/new', [text], { hostname: text, addresses: text }],
  ['zones', [text], { zone: text }],
  ['zones/example.test/import', [quoted(text)], { text: `www 60 IN TXT ${quoted(text)}` }],
  ['zones/example.test/import', [text], { text: `${text} IN A ${text}` }],
  ['keys/new', [text], { description: text, hostnames: text }],
  ['keys/new-api-key', [text], { description: text, zones: text }],
  ['sign-in', [text], { account: text, password: text }],
]

/** A page of a person who is signed in, and everything that it must not do. */
async function person(options: BrowserContextOptions) {
  const opened = await openPage(browser, `${at.url}/`, options)
  const form = { account: at.account, password: at.accountPassword }
  const value = await signIn(at.url, form, 'Mozilla/5.0')
  await opened.context.addCookies([{ name: 'holdfast', value, url: at.url }])
  const dialogs: string[] = []
  opened.page.on('dialog', (one) => {
    dialogs.push(one.message())
    void one.dismiss()
  })
  return { ...opened, dialogs }
}

async function sendForm(page: Page, sent: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(sent)) await page.locator(`[name="${name}"]`).first().fill(text)
  await Promise.all([
    page.waitForEvent('load'),
    page.locator('main form[method=post] button').first().click(),
  ])
}

/** In characters, of an address and of a message that a failure shows. */
const MAX_SHOWN = 100

/** What is wrong with one page. A payload that leads elsewhere ends the page while it is read. */
async function faultsAt(page: Page, [path, texts, sent]: Shown[number]): Promise<readonly string[]> {
  const faults = async (): Promise<readonly string[]> => {
    await page.goto(`${at.url}/console/${path}`)
    if (sent !== undefined) await sendForm(page, sent)
    return faultsOf(await contentOf(page), texts)
  }
  const found = await faults().catch((error: Error) => [error.message.slice(0, MAX_SHOWN)])
  return found.map((fault) => `${path.slice(0, MAX_SHOWN)}: ${fault}`)
}

describe.each([
  ['with its policy', {}],
  ['by escapes alone', { bypassCSP: true, locale: 'de-DE' }],
] as const)('a hostile text is a text, %s', (_, options) => {
  it('on each page that shows what others have chosen', async () => {
    const { page, problems, strangers, dialogs } = await person(options)
    const pages = [
      ...planted.flatMap((one, nth) => (hasPages(nth) ? pagesOfOne(one) : [])),
      ...pagesOfAll(),
      ...pagesOfAddress(PAYLOADS.join(' ')),
      ...pagesOfForms(`${HOSTILE['the end of elements']}${HOSTILE['the place of a token']}`),
    ]
    const faults: string[] = []
    for (const one of pages) faults.push(...(await faultsAt(page, one)))
    expect(faults).toEqual([])
    // An address that leads nowhere has its status, which the browser reports.
    expect(problems.filter((one) => !/status of 4\d\d/.test(one))).toEqual([])
    expect([strangers, dialogs]).toEqual([[], []])
  })
})
