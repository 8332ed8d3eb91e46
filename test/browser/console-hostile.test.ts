import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '../e2e/processes.ts'
import { isLarge } from '../large.ts'
import { openBrowser, openPage } from './browser.ts'
import { ODD, plantForOperator, REQUEST_LIMIT } from './hostile-operator.ts'
import { HOSTILE, plant, plantRecords, type Planted, quoted } from './hostile-texts.ts'
import { contentOf, faultsOf } from './page-content.ts'
import { storeIn } from './old-proofs.ts'
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
/** The cookie of an operator. */
let operator: string
/** Where the service has its store. */
const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
beforeAll(async () => {
  const limits = ['--key-request-limit', '100000', '--request-limit', String(REQUEST_LIMIT)]
  ;[browser, at] = await Promise.all([openBrowser(), startService({ TMPDIR: folder }, ...limits)])
  planted = await Promise.all(PAYLOADS.map(async (payload, nth) => plant(at, payload, nth)))
  await Promise.all(PAYLOADS.map(async (payload, nth) => plantRecords(at, severalOf(nth), [payload])))
  await plantRecords(at, 'all', PAYLOADS)
  for (const name of Object.keys(ODD_NAMES)) await plantRecords(at, name, ['one'])
  operator = await plantForOperator(at, storeIn(folder), browser)
})
afterAll(async () => {
  await browser.close()
  await at.end()
  rmSync(folder, { recursive: true, force: true })
})

/** The names that are changed together, one for each payload. */
const severalOf = (nth: number): string => `s${nth}`

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
  [`keys/new?hostname=${encoded(text)}`, []],
  [`names/example.test/home?undo=TXT&before=${encoded(`60 ${quoted(text)}`)}`, [quoted(text)]],
  [`names/example.test/${encoded(text)}`, []],
  [`zones/${encoded(text)}?check=yes`, []],
  [`zones/${encoded(text)}/import`, []],
  [`trail/undo?at=${encoded(text)}&operation=${encoded(text)}`, []],
  [`trail/undo?at=2026-01-02T00:00:00.000Z&operation=${encoded(text)}`, []],
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
  ['keys/new', [text], { description: text }],
  ['keys/new-api-key', [text], { description: text, zones: text }],
  ['sign-in', [text], { account: text, password: text }],
]

/** The pages that show others to an operator, what is in their own address, and what an operator has entered. */
const pagesOfOperator = (address: string, text: string): Shown => [
  ['operator', [...planted.map(({ agent }) => agent), ODD.zone, ODD.mail, '127.0.0.9']],
  ['operator/accounts', [ODD.account]],
  [`operator/accounts/${encoded(ODD.account)}`, [ODD.account]],
  [`operator/accounts/${at.account}`, [ODD.zone]],
  [`operator/accounts?search=${encoded(address)}`, [address]],
  [`operator/accounts?after=${encoded(address)}`, []],
  [`operator/accounts/${encoded(address)}`, []],
  [`operator/plans?after=${encoded(address)}`, []],
  [`operator/plans/${encoded(address)}`, []],
  ['operator', [text], { subject: text }],
  ['operator', [text], { zone: text, expires: text }],
  ['operator/plans', [text], { plan: text }],
  ['operator/plans/everything', [], { max_names: text, types: text }],
]

/** What a person does with several names, and the texts of the page that it leads to. Afterwards all is as before. */
type Steps = readonly (readonly [
  what: string,
  lead: (page: Page) => Promise<unknown>,
  texts: readonly string[],
])[]

/** Sends the form that leads to this path. */
const sending =
  (path: string) =>
  async (page: Page): Promise<unknown> =>
    Promise.all([
      page.waitForEvent('load'),
      page.locator(`form[action="/console/${path}"] button`).first().click(),
    ])

const choosing = async (page: Page): Promise<unknown> => page.goto(`${at.url}/console/names?choose=yes`)

const stepsOfSeveral = (): Steps => [
  ['choosing', choosing, planted.map(({ description }) => description)],
  [
    'bulk review',
    async (page) => {
      for (const nth of PAYLOADS.keys())
        await page.locator(`[name=pick][value="example.test/${severalOf(nth)}"]`).check()
      await page.locator('[name=act]').selectOption('delete')
      await sending('names/bulk')(page)
    },
    planted.flatMap(({ value, caa }) => [value, caa]),
  ],
  [
    'bulk done',
    sending('names/bulk/delete'),
    // The form that undoes it has all of them.
    planted.flatMap(({ value, caa }) => [value, caa].map((one) => JSON.stringify(one))),
  ],
  ['bulk undone', sending('names/bulk/undo'), []],
  ['choosing again', choosing, [...PAYLOADS.keys()].map((nth) => `${severalOf(nth)}.example.test`)],
  ...PAYLOADS.flatMap((_, nth) => (hasPages(nth) ? [undoOf(nth)] : [])),
]

/** What made a name, to be put back: all of its records would go. */
const undoOf = (nth: number): Steps[number] => {
  const { value = '', caa = '' } = planted[nth] ?? {}
  const lead = async (page: Page): Promise<void> => {
    await page.goto(`${at.url}/console/trail?name=${severalOf(nth)}.example.test`)
    await Promise.all([
      page.waitForURL('**/console/trail/undo?*'),
      page.locator('a[href^="/console/trail/undo"]').first().click(),
    ])
  }
  return [`trail/undo of ${severalOf(nth)}`, lead, [value, caa]]
}

/** The cookie of the person whose names these are. */
const signedIn = async (): Promise<string> =>
  signIn(at.url, { account: at.account, password: at.accountPassword }, 'Mozilla/5.0')

/** A page of a person with this cookie, and everything that it must not do. */
async function person(value: string, options: BrowserContextOptions) {
  const opened = await openPage(browser, `${at.url}/`, options)
  await opened.context.addCookies([{ name: 'holdfast', value, url: at.url }])
  const dialogs: string[] = []
  opened.page.on('dialog', (one) => {
    dialogs.push(one.message())
    void one.dismiss()
  })
  return { ...opened, dialogs }
}

/** Fills in a form that has these fields, and presses its first button. */
async function sendForm(page: Page, sent: Readonly<Record<string, string>>): Promise<void> {
  const [field = ''] = Object.keys(sent)
  const form = page.locator('main form[method=post]', { has: page.locator(`[name="${field}"]`) }).first()
  for (const [name, text] of Object.entries(sent)) await form.locator(`[name="${name}"]`).first().fill(text)
  await Promise.all([page.waitForEvent('load'), form.locator('button').first().click()])
}

/** In characters, of an address and of a message that a failure shows. */
const MAX_SHOWN = 100

/** What is wrong with one page. A payload that leads elsewhere ends the page while it is read. */
async function faultsAfter(page: Page, [what, lead, texts]: Steps[number]): Promise<readonly string[]> {
  const faults = async (): Promise<readonly string[]> => {
    await lead(page)
    return faultsOf(await contentOf(page), texts)
  }
  const found = await faults().catch((error: Error) => [error.message.slice(0, MAX_SHOWN)])
  return found.map((fault) => `${what.slice(0, MAX_SHOWN)}: ${fault}`)
}

const stepTo = ([path, texts, sent]: Shown[number]): Steps[number] => {
  const lead = async (page: Page): Promise<void> => {
    await page.goto(`${at.url}/console/${path}`)
    if (sent !== undefined) await sendForm(page, sent)
  }
  return [path, lead, texts]
}

const EVERY = PAYLOADS.join(' ')
const WORST_OF_FORMS = `${HOSTILE['the end of elements']}${HOSTILE['the place of a token']}`

describe.each([
  ['with its policy', {}],
  ['by escapes alone', { bypassCSP: true, locale: 'de-DE' }],
] as const)('a hostile text is a text, %s', (_, options) => {
  /** Goes to all of them, and finds nothing wrong. */
  async function visits(value: string, steps: Steps): Promise<void> {
    const { page, problems, strangers, dialogs } = await person(value, options)
    const faults: string[] = []
    for (const one of steps) faults.push(...(await faultsAfter(page, one)))
    expect(faults).toEqual([])
    // An address that leads nowhere has its status, which the browser reports.
    expect(problems.filter((one) => !/status of 4\d\d/.test(one))).toEqual([])
    expect([strangers, dialogs]).toEqual([[], []])
  }

  it('on each page that shows what others have chosen', async () => {
    const pages = [
      ...planted.flatMap((one, nth) => (hasPages(nth) ? pagesOfOne(one) : [])),
      ...pagesOfAll(),
      ...pagesOfAddress(EVERY),
      ...pagesOfForms(WORST_OF_FORMS),
    ]
    await visits(await signedIn(), pages.map(stepTo))
  })

  // The policy is the same on each page: what these pages add are places for escapes.
  const whereEscapesCount = it.skipIf(!isLarge && !('bypassCSP' in options))
  whereEscapesCount('where several names are changed', async () => visits(await signedIn(), stepsOfSeveral()))

  whereEscapesCount('on each page of operators', async () =>
    visits(operator, pagesOfOperator(EVERY, WORST_OF_FORMS).map(stepTo)),
  )
})
