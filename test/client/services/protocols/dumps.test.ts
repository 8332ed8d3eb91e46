import { describe, expect, it } from 'vitest'
import { RECORD_ROWS } from '../../../../src/client/services/protocols/rows/rows.ts'
import { CLOUDFLARE_REFUSALS } from '../../../../src/client/services/protocols/cloudflare.ts'
import { NETCUP_REFUSALS } from '../../../../src/client/services/protocols/netcup.ts'
import { providerCalled } from '../../../../src/client/services/providers/providers.ts'
import type { Address } from '../../../../src/shared/base/address.ts'
import { isLocalWord, isReplyWord } from '../../../../src/shared/protocol/reply.ts'
import { type Dump, DUMPED_SERVICES, DUMPS, fieldOf, fieldsOf } from './dumps.ts'
import { played } from './play.ts'
import { KEPT, NEW, PLAYED, type Played } from './services.ts'

/** Their presets come later. */
const SOON: readonly string[] = 'aliyun ovh route53'.split(' ')

const STEPS = ['write', 'find', 'zone']

// biome-ignore format: a table
const FIELDS: Readonly<Record<string, RegExp>> = {
  status:  /^[2-5]\d\d( \(assumed\))?$/,
  step:    /^(zone|find|write)$/,
  source:  /.{10}/,
  date:    /^20\d\d-[01]\d-[0-3]\d( \(read\))?$/,
  pattern: /./,
  code:    /^[\w -]+$/,
  because: /.{10}/,
  'keeps A': /.{10}/,
}

const titleOf = (dump: Dump): string =>
  `${dump.service}: ${dump.word}, ${fieldsOf(dump, dump.isMissing ? 'because' : 'source').join()}`

const FOUND = DUMPS.filter(({ isMissing }) => !isMissing)
const MISSING = DUMPS.filter(({ isMissing }) => isMissing)
const dumpsOf = (of: Played, dumps: readonly Dump[]) => dumps.filter(({ service }) => service === of.provider)

interface Given {
  /** In the place of that of the dump. */
  readonly status?: number
  readonly over?: Readonly<Record<string, unknown>>
}

/** What the client makes of the answer in a dump. */
async function wordOf(of: Played, dump: Dump, { status, over = {} }: Given = {}): Promise<string> {
  const v4 = NEW as Address
  const plain = await played(of)
  await plain.update({ v4 })
  const at = plain.sent.length - STEPS.indexOf(fieldOf(dump, 'step') ?? 'write')
  const { update } = await played(of, {
    over: { ...over, ...(dump.word === 'no-record' && { create: false }) },
  })
  const seen = await update({ v4 }, (answered, nth) =>
    nth === at
      ? {
          kind: 'answered',
          status: status ?? Number.parseInt(fieldOf(dump, 'status') ?? '', 10),
          headers: {},
          body: dump.text ?? '',
        }
      : answered,
  )
  if (seen.kind !== 'answered') return seen.kind === 'notUnderstood' ? 'wait' : seen.kind
  const [reply] = seen.replies
  return (reply !== undefined && 'said' in reply ? reply.said : reply?.word) ?? ''
}

/** A pattern or a code that gives an answer its word, and how to play the service with this one alone. */
interface Reason extends Given {
  readonly kind: 'pattern' | 'code'
  readonly text: string
  readonly word: string
  readonly isIn: (dump: Dump) => boolean
}

/** Patterns that no answer matches. */
const NONE = { success: ['(?!)-'], unchanged: ['(?!)-'], wait: ['(?!)-'], stop: ['(?!)-=abuse'] }
const WORDS = { success: 'good', unchanged: 'nochg', wait: '911' } as const

function patternsOf({ provider }: Played): readonly Reason[] {
  const lists = Object.entries(providerCalled(provider)?.replies ?? {}) as [
    keyof typeof NONE,
    readonly string[],
  ][]
  return lists.flatMap(([list, patterns]) =>
    patterns.map((text) => ({
      kind: 'pattern' as const,
      text,
      word: list === 'stop' ? text.slice(text.lastIndexOf('=') + 1) : WORDS[list],
      isIn: () => true,
      status: 200,
      over: { ...NONE, [list]: [text] },
    })),
  )
}

/** A status that means nothing, so that only the code does. */
const NO_STATUS = 418

function codesOf({ provider }: Played): readonly Reason[] {
  const rows: Readonly<Record<string, { readonly refusals: Readonly<Record<string, string>> }>> = {
    cloudflare: { refusals: CLOUDFLARE_REFUSALS },
    netcup: { refusals: NETCUP_REFUSALS },
    ...RECORD_ROWS,
  }
  return Object.entries(rows[provider]?.refusals ?? {}).map(([text, word]) => ({
    kind: 'code',
    text,
    word,
    isIn: (dump) => new RegExp(`"(status)?(code|message|type)": ?"?${text}\\b`).test(dump.text ?? ''),
    status: NO_STATUS,
  }))
}

it('each service with another protocol has its dumps', () => {
  expect(DUMPED_SERVICES.toSorted()).toEqual([...PLAYED.map(({ provider }) => provider), ...SOON].toSorted())
  expect(new Set(DUMPS.map(({ service }) => service)).size).toBe(DUMPED_SERVICES.length)
})

describe('the form of', () => {
  it.each(DUMPS.map((dump) => [titleOf(dump), dump] as const))('%s', (_, dump) => {
    for (const [name, values] of dump.fields)
      for (const value of values) expect(value, name).toMatch(FIELDS[name] ?? /^(?!)/)
    expect(dump.word === 'wait' || isReplyWord(dump.word) || isLocalWord(dump.word)).toBe(true)
    if (dump.isMissing) expect(fieldsOf(dump, 'because')).toHaveLength(1)
    else expect([fieldsOf(dump, 'status').length, dump.text?.trim()]).toEqual([1, expect.stringMatching(/./)])
    if (dump.text !== undefined)
      expect([fieldsOf(dump, 'source'), fieldsOf(dump, 'date')].map(({ length }) => length)).toEqual([1, 1])
  })
})

describe.each(PLAYED)('$provider', (of) => {
  const found = dumpsOf(of, FOUND)
  const missing = dumpsOf(of, MISSING)
  const said = (name: string) => missing.flatMap((dump) => fieldsOf(dump, name))

  it.each(found.map((dump) => [titleOf(dump), dump] as const))('reads %s', async (_, dump) =>
    expect(await wordOf(of, dump)).toBe(dump.word),
  )

  // A dump counts if it has its word by this pattern, or this code, alone.
  const reasons = patternsOf(of).length > 0 ? patternsOf(of) : codesOf(of)
  it.each(reasons.map((reason) => [reason.text, reason] as const))(
    '%s is in a dump, or is marked',
    async (_, reason) => {
      const words = await Promise.all(found.filter(reason.isIn).map((dump) => wordOf(of, dump, reason)))
      const isMissing = said(reason.kind).includes(reason.text)
      expect({ isMissing, isFound: words.includes(reason.word) }).toEqual({ isMissing, isFound: !isMissing })
    },
  )

  it('marks only patterns and codes that it has', () => {
    const known = reasons.map(({ kind, text }) => `${kind} ${text}`)
    const named = ['pattern', 'code'].flatMap((kind) => said(kind).map((text) => `${kind} ${text}`))
    expect(named.filter((one) => !known.includes(one))).toEqual([])
  })

  it('has grade A only with dumps, or with reasons', () => {
    const unproven = missing.filter((dump) => fieldOf(dump, 'keeps A') === undefined)
    if (providerCalled(of.provider)?.grade === 'A') expect(unproven.map(titleOf)).toEqual([])
    else expect(missing.flatMap((dump) => fieldsOf(dump, 'keeps A'))).toEqual([])
  })
})

it.each(KEPT)('$provider has a part for each outcome of a service that manages records', (of) =>
  expect(dumpsOf(of, DUMPS).map(({ word }) => word)).toEqual(
    expect.arrayContaining(['good', 'badauth', 'no-zone', 'no-record', 'wait']),
  ),
)
