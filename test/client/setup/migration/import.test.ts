import { describe, expect, it } from 'vitest'
import { formatOf, readImport, unknownFormat } from '../../../../src/client/setup/migration/import.ts'
import type { Format } from '../../../../src/client/setup/migration/formats.ts'
import type { ImportContext } from '../../../../src/client/setup/migration/imported.ts'
import { mergeImport } from '../../../../src/client/setup/migration/merge/merge.ts'
import { fileComplaints } from '../../../../src/client/setup/file-complaints.ts'
import { draftText } from '../../../../src/client/setup/toml.ts'
import { INADYN_CASES } from './clients/inadyn.ts'
import { OPENWRT_CASES } from './clients/openwrt.ts'
import { NOIP_DUC_CASES } from './clients/noip-duc.ts'
import { DDNS_UPDATER_CASES } from './clients/ddns-updater.ts'
import { DDNS_GO_CASES } from './clients/ddns-go.ts'
import { DOCKER_DYNDNS_CASES } from './clients/docker-dyndns.ts'
import { CLOUDFLARE_DDNS_CASES } from './clients/cloudflare-ddns.ts'
import { OZNU_CASES } from './clients/oznu.ts'
import { URL_CASES } from './clients/url.ts'
import { DDCLIENT_CASES } from './clients/ddclient.ts'
import type { ImportCase } from './import-case.ts'
import { CANARY, UNKNOWN } from './unknown-cases.ts'

/** Files of each client, as it documents them and as people have them. */
const BY_FORMAT: Readonly<Record<Format, readonly ImportCase[]>> = {
  inadyn: INADYN_CASES,
  openwrt: OPENWRT_CASES,
  'noip-duc': NOIP_DUC_CASES,
  'ddns-updater': DDNS_UPDATER_CASES,
  'ddns-go': DDNS_GO_CASES,
  'docker-dyndns': DOCKER_DYNDNS_CASES,
  'cloudflare-ddns': CLOUDFLARE_DDNS_CASES,
  oznu: OZNU_CASES,
  url: URL_CASES,
  ddclient: DDCLIENT_CASES,
}
const CASES = Object.values(BY_FORMAT).flat()

const contextOf = ({ variables = {}, includes = {} }: Partial<ImportCase>): ImportContext => ({
  file: 'old.conf',
  variable: (name) => variables[name],
  domainOf: (name) => name.split('.').slice(-2).join('.'),
  include: (path) =>
    includes[path] === undefined ? { problem: 'there is no such file' } : { text: includes[path] },
})

function imported(one: Pick<ImportCase, 'text' | 'format'> & Partial<ImportCase>) {
  const read = readImport(one.text, one.format, contextOf(one))
  if (!read.ok) throw new Error(read.error)
  return mergeImport(read.value, contextOf(one))
}

const settingsOf = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('password_file') && !line.startsWith('#'))
    .join('\n')
    .trim()
/** The order of settings in a table is not compared. */
const asTables = (text: string): readonly string[] =>
  settingsOf(text)
    .split(/\n(?=\[\[account\]\])/)
    .map((table) => table.trim().split('\n').toSorted().join('\n'))

describe.each(CASES)('$name', (one) => {
  it('is known by its text', () => expect(formatOf(one.text)).toBe(one.format))
  it('gives these settings', () => {
    const { draft } = imported(one)
    // Cases of one account leave out its name.
    const [only, ...others] = draft.accounts
    const isNamed = only === undefined || others.length > 0 || one.toml.includes('[[account]]')
    const toml = isNamed ? one.toml : `name = "${only.name}"\n${one.toml}`
    expect(asTables(only === undefined ? '' : draftText(draft, ({ name }) => `/p/${name}`))).toEqual(
      asTables(toml),
    )
  })
  it('has these passwords', () => {
    const { draft } = imported(one)
    expect(draft.accounts.flatMap(({ password }) => password?.reveal() ?? [])).toEqual(one.passwords)
  })
  it('says what differs', () => {
    const { remarks } = imported(one)
    for (const [kind, line, part] of one.remarks ?? [])
      expect(
        remarks.filter(
          (remark) => remark.kind === kind && remark.place.line === line && remark.text.includes(part),
        ).length,
        `${kind} ${line} ${part} in ${JSON.stringify(remarks, null, 1)}`,
      ).toBe(1)
  })
  it('says no password', () => {
    const said = JSON.stringify(imported(one).remarks)
    for (const password of one.passwords.filter(({ length }) => length > 2))
      expect(said).not.toContain(password)
  })
  it('is a valid configuration, or says what is missing', async () => {
    const { draft, remarks } = imported(one)
    const complaints =
      draft.accounts.length === 0 ? [] : await fileComplaints(draftText(draft, ({ name }) => `/p/${name}`))
    const isMissing =
      one.isIncomplete === true || remarks.some(({ text }) => text.includes('not in this file'))
    expect(isMissing ? [] : complaints).toEqual([])
  })
})

it('a file of comments is known by its name, and sets nothing', () => {
  const text = '# In-A-Dyn configuration\n#period = 300\n#provider default@no-ip.com { }\n'
  expect(formatOf(text, '/etc/inadyn.conf')).toBe('inadyn')
  expect(formatOf(text, '/tmp/unknown')).toBeUndefined()
  expect(imported({ text, format: 'inadyn' })).toEqual({
    draft: { settings: {}, accounts: [] },
    remarks: [],
  })
})

describe('a text that nothing can be read from', () => {
  it('is empty', () =>
    expect(readImport(' \n', 'ddclient', contextOf({}))).toEqual({ ok: false, error: 'is empty' }))
  it('is the binary file of noip2', () => {
    const read = readImport('\u0001\0\u0002', 'ddclient', contextOf({}))
    expect(read.ok ? '' : read.error).toContain('noip-duc --import')
  })
})

describe.each(UNKNOWN)('%s', (_, whose, text) => {
  it('is of no format, also in the place of a known file', () =>
    expect([formatOf(text), formatOf(text, '/etc/ddclient.conf')]).toEqual([undefined, undefined]))
  it('is named as far as one can tell, and not shown', () => {
    expect(unknownFormat(text)).toContain(whose)
    expect(unknownFormat(text)).not.toContain(CANARY)
  })
  it('gives nothing where the person says that it is of ddclient', () => {
    const read = readImport(text, 'ddclient', contextOf({}))
    expect(read).toEqual({ ok: false, error: unknownFormat(text) })
  })
})

describe('a file of several containers is refused', () => {
  it.each([
    ['cloudflare-ddns', ['CLOUDFLARE_API_TOKEN=one', 'CLOUDFLARE_API_TOKEN=two'], 'DOMAINS=a.one.example'],
    ['oznu', ['SUBDOMAIN=a', 'SUBDOMAIN=b'], 'API_KEY=k\nZONE=one.example'],
    ['noip-duc', ['NOIP_HOSTNAMES=a.ddns.net', 'NOIP_HOSTNAMES=b.ddns.net'], 'NOIP_USERNAME=u'],
    ['docker-dyndns', ['HOSTNAME=a.ddns.net', 'HOSTNAME=b.ddns.net'], 'SERVICE=noip\nUSER=u'],
  ] as const)('%s', (format, [one, two], rest) => {
    const both = readImport(`${rest}\n${one}\n${two}\n`, format, contextOf({}))
    expect(both).toMatchObject({ ok: false, error: expect.stringContaining('several containers') as string })
    expect(readImport(`${rest}\n${one}\n${one}\n`, format, contextOf({})).ok).toBe(true)
  })
})

it.each([
  'https://freedns.afraid.org/dynamic/update.php?canary7xQ==',
  'https://sync.afraid.org/u/canary7x/',
  'https://www.duckdns.org/update/home/canary7x-abc',
  'ftp://u:canary7x@dyn.example.test/x',
])('nothing is shown of a URL whose secret cannot be told: %s', (text) => {
  const { draft, remarks } = imported({ text, format: 'url' })
  expect(JSON.stringify([draft, remarks])).not.toContain('canary')
  expect(remarks).toMatchObject([{ kind: 'not taken' }])
})

it.each([
  ['blank lines', `${'\n'.repeat(200_000)}protocol=dyndns2\n`],
  ['blanks behind a setting', `server=${' '.repeat(200_000)}\n`],
  ['places in places', `CF_API_TOKEN: x\nDOMAINS: ${'${A:-'.repeat(50_000)}\n`],
  ['a word of inadyn 1', `system a\nusername ${' '.repeat(200_000)}x\n`],
  ['addresses of URLs', `${'https://a '.repeat(50_000)}\n`],
  ['names of a program', `${'noip-duc:/'.repeat(50_000)}\n`],
])('a long text ends soon: %s', { timeout: 60_000 }, (_, text) => {
  const format = formatOf(text)
  const read = readImport(text, format, contextOf({}))
  if (read.ok) mergeImport(read.value, contextOf({}))
  expect(text.length).toBeGreaterThan(100_000)
})

describe('the same text with faults', () => {
  const PIECES = CASES.flatMap(({ text }) => text.split('\n'))
  /** A small generator, so that a failure can be repeated. */
  const random = (seed: number) => () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed / 2_147_483_648
  }
  it('never throws, and never says a password', () => {
    const next = random(7)
    for (let round = 0; round < 3000; round += 1) {
      const pieces = Array.from({ length: 1 + Math.floor(next() * 8) }, () => {
        const piece = PIECES[Math.floor(next() * PIECES.length)] ?? ''
        const cut = Math.floor(next() * piece.length)
        return next() < 0.3
          ? piece.slice(0, cut) +
              ['"', "'", '{', '}', '\\', '=', '#', '%', '\u0001'][Math.floor(next() * 9)] +
              piece.slice(cut)
          : piece
      })
      const text = `${pieces.join('\n')}\npassword=canary-in-the-text`
      const format = formatOf(text)
      const read = readImport(text, format, contextOf({}))
      const said = read.ok ? mergeImport(read.value, contextOf({})).remarks : read.error
      expect(JSON.stringify(said)).not.toContain('canary')
    }
  })
})

it('reads ten thousand hosts in a moment', () => {
  const hosts = Array.from({ length: 10_000 }, (_, at) => `h${at}.example.test`)
  const { draft } = imported({
    format: 'ddclient',
    text: `daemon=300\nserver=dyn.example.test, login=u, password=p\n${hosts.join('\n')}`,
  })
  expect(draft.accounts[0]?.settings['hostnames']).toHaveLength(10_000)
})
