import { type Address, byFamily, parseAddress } from '../../../src/shared/base/address.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isOwnHost } from '../../../src/client/page/handler.ts'
import { escapeHtml, html } from '../../../src/shared/html/html.ts'
import { mainOf, pageOf, summaryOf } from '../../../src/client/page/view.ts'
import { type Outcome, OUTCOMES } from '../../../src/client/report/cause.ts'
import type { AccountReport } from '../../../src/client/report/report.ts'
import { accountReport } from '../../fakes/account-report.ts'

const viewOf = (...accounts: readonly AccountReport[]) => ({
  accounts,
  troubles: [],
  events: [],
  history: [],
  answers: [],
  about: {
    version: '1',
    node: '24',
    started: '2026-01-01T00:00:00.000Z',
    stateDir: '/s',
    configFile: '/etc/h.toml',
  },
})

describe('text of others', () => {
  it('is never markup, and has no control characters', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const escaped = escapeHtml(text)
        expect(escaped).not.toMatch(/[<>"'`\0-\x1f\x7f-\x9f\u202a-\u202e]/)
        expect(escaped.replaceAll(/&(?:amp|lt|gt|quot|#39|#96);/g, '')).not.toContain('&')
      }),
    ))
  it('is escaped wherever it is put in', () =>
    expect(html`<p title="${'"><b>'}">${['<i>', html`<u>${'<'}</u>`]}${null}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;b&gt;">&lt;i&gt;<u>&lt;</u></p>',
    ))
  it('in every field of a report stays text', () => {
    const bad = '<script>alert(1)</script>'
    const report = accountReport('stopped', {
      account: bad,
      name: bad,
      because: bad,
      remedy: bad,
      hostnames: accountReport('stopped').hostnames.map((host) => ({
        ...host,
        hostname: bad,
        remarks: [bad],
      })),
    })
    const page = pageOf({
      ...viewOf(report),
      events: [{ nth: 1, at: '2026-01-01T00:00:00.000Z', level: 'warn', text: bad, times: 2 }],
      answers: [
        {
          source: bad,
          family: 'v4',
          result: 'unknown',
          address: null,
          because: bad,
          isUnneeded: false,
          at: '2026-01-01T00:00:00.000Z',
        },
      ],
    })
    expect(page.match(/<script/g)).toHaveLength(1)
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  })
})

it.each([
  [false, 'no answer: not reached'],
  [true, '>not reached'],
])('a source that was not waited for is not said to be dead: %s', (isUnneeded, verdict) => {
  const answers = [
    {
      source: 'web',
      family: 'v4',
      result: 'unknown',
      address: null,
      because: 'not reached',
      isUnneeded,
      at: '2026-01-01T00:00:00.000Z',
    },
  ] as const
  expect(pageOf({ ...viewOf(accountReport('settled')), answers })).toContain(verdict)
})

it('shows the account that needs a person most first', () => {
  const named = (outcome: Outcome, name: string) => accountReport(outcome, { account: `${name}@x`, name })
  const { text } = mainOf(
    viewOf(
      named('settled', 'one'),
      named('waiting', 'two'),
      named('stopped', 'three'),
      named('settled', 'four'),
    ),
  )
  expect([...text.matchAll(/<h2 id="account-(\d)">/g)].map(([, at]) => at)).toEqual(['2', '1', '0', '3'])
})

describe('the summary', () => {
  it('names what concerns the daemon as a whole, with its remedy', () => {
    const trouble = {
      kind: 'state',
      text: 'saved in /tmp',
      remedy: 'make /x writable',
      since: '2026-01-01T00:00:00Z',
    } as const
    const view = { ...viewOf(accountReport('settled')), troubles: [trouble] }
    expect(summaryOf(view).text).toBe('The names are in order, but something needs you')
    expect(mainOf(view).text).toMatch(/Not in order.*saved in \/tmp.*make \/x writable/s)
    const stopped = { ...viewOf(accountReport('stopped')), troubles: [trouble, trouble] }
    expect(summaryOf(stopped).text).toBe('Stopped until you act')
  })
  it('is that of the account that needs a person most', () => {
    expect(summaryOf(viewOf(accountReport('settled'))).text).toBe('All in order: 1 name')
    expect(
      summaryOf(viewOf(accountReport('settled'), accountReport('waiting'), accountReport('stopped'))).text,
    ).toBe('Stopped until you act (1 of 3 accounts, 1 more needs a look)')
  })
  it('says the same as the section while an update is on its way, and names no cause', () => {
    const first = accountReport('unreached', {
      isDue: true,
      since: null,
      because: 'the run ended before a request was sent',
    })
    expect(summaryOf(viewOf(first)).text).toBe('An update is on its way')
    expect(mainOf(viewOf(first)).text).toContain('An update is on its way')
    expect(mainOf(viewOf(first)).text).not.toContain('Cause')
    expect(summaryOf(viewOf(accountReport('settled', { isDue: true }))).text).toBe('An update is on its way')
  })
  it('does not say that names lead here where the service or its name servers say otherwise', () => {
    const [host] = accountReport('settled').hostnames
    const of = (over: object) =>
      viewOf(accountReport('settled', { hostnames: host === undefined ? [] : [{ ...host, ...over }] }))
    const different = of({ different: byFamily([parseAddress('192.0.2.9') as Address]) })
    const pending = of({ published: { state: 'pending', servers: [], because: null } })
    expect([
      summaryOf(different).text,
      summaryOf(pending).text,
      summaryOf(of({ isOffline: true })).text,
    ]).toEqual(['The service has another address', 'Confirmed, not published yet', 'Offline'])
    for (const view of [different, pending])
      expect(mainOf(view).text).not.toContain('The names lead to this network')
  })
  it('says of no name that it keeps an address which was never confirmed', () => {
    const hostnames = accountReport('waiting').hostnames.map((one) => ({ ...one, confirmed: {} }))
    for (const outcome of ['addressUnknown', 'unreached'] as const) {
      expect(mainOf(viewOf(accountReport(outcome))).text).toContain('confirmed last')
      expect(mainOf(viewOf(accountReport(outcome, { hostnames }))).text).not.toContain('confirmed last')
    }
  })
  it.each(OUTCOMES)('says %s in words, not by colour alone', (outcome) => {
    const main = mainOf(viewOf(accountReport(outcome))).text
    expect(main).toMatch(/<strong>.*\w+.*<\/strong>/)
    expect(main.includes('<button')).toBe(outcome === 'stopped')
  })
})

describe('the name in the address bar', () => {
  it.each([
    'localhost',
    'localhost:8246',
    '127.0.0.1',
    '127.8.9.1:8246',
    '[::1]:8246',
    'LOCALHOST:1',
    'nas.lan:8246',
    'NAS.lan',
    '[::2]:8246',
    '192.168.1.5:8246',
  ])('%s is own', (host) => expect(isOwnHost(host, ['nas.lan'])).toBe(true))
  it.each([
    undefined,
    '',
    '127.evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evil.example:8246',
    'nas.lan.evil.example',
    '127.0.0.1:99999999',
    'localhost:80@evil.example',
  ])('%s is not', (host) => expect(isOwnHost(host, ['nas.lan'])).toBe(false))
})
