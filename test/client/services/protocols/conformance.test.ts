import { describe, expect, it } from 'vitest'
import { minutes } from '../../../../src/shared/base/time.ts'
import { PROVIDERS } from '../../../../src/client/services/providers/providers.ts'
import type { Address } from '../../../../src/shared/base/address.ts'
import { NEW, NEW6, OLD, OLD6, PLAYED, PASSWORD } from './services.ts'
import { played } from './play.ts'
import { answer, SPOILS } from './spoils.ts'

const v4 = NEW as Address
const v6 = NEW6 as Address

/** In the place of the last answer, and what comes of it. */
// biome-ignore format: a table
const SPOILED: readonly (readonly [what: keyof typeof SPOILS, expected: object])[] = [
  ['429 with Retry-After', { kind: 'notUnderstood', status: 429, retryAfter: minutes(2), looksLikePortal: false }],
  ['429 without it',       { kind: 'notUnderstood', status: 429 }],
  ['500',                  { kind: 'notUnderstood', status: 500 }],
  ['503 with a page',      { kind: 'notUnderstood', status: 503, looksLikePortal: false }],
  ['a page of a portal',   { kind: 'notUnderstood', looksLikePortal: true }],
  ['a redirect elsewhere', { kind: 'notUnderstood', looksLikePortal: true }],
  ['nothing',              { kind: 'notUnderstood', looksLikePortal: false }],
  ['an unknown 4xx',       { kind: 'notUnderstood', looksLikePortal: false }],
  ['a reset',              { kind: 'unreached', isTls: true }],
  ['a silence',            { kind: 'unreached', isTls: true }],
  ['a cut',                { kind: 'unreached' }],
]

describe.each(PLAYED)('$provider', (of) => {
  it('publishes an address, says when it is current, and confirms what it sent', async () => {
    const { update, valueOf, why, sent } = await played(of)
    expect(await update({ v4 }), why.join()).toMatchObject({
      kind: 'answered',
      replies: [{ word: 'good', addresses: [NEW] }],
    })
    expect(valueOf('A')).toEqual([NEW])
    if (of.hasIpv6) expect(valueOf('AAAA')).toEqual([OLD6])
    expect(sent.length).toBeLessThanOrEqual(4)
    expect(await update({ v4 })).toMatchObject({
      kind: 'answered',
      replies: [{ word: of.saysUnchanged ? 'nochg' : 'good', addresses: [NEW] }],
    })
    expect(sent.length).toBeLessThanOrEqual(8)
  })

  it.runIf(of.hasIpv6)('publishes both families', async () => {
    const { update, valueOf, why, job } = await played(of)
    const rounds = job.desired.form.isApart ? [{ v4 }, { v6 }] : [{ v4, v6 }]
    for (const addresses of rounds)
      expect(await update(addresses), why.join()).toMatchObject({
        kind: 'answered',
        replies: [{ word: 'good', addresses: Object.values(addresses) }],
      })
    expect([valueOf('A'), valueOf('AAAA')]).toEqual([[NEW], [NEW6]])
  })

  const expected = (word: string | undefined) =>
    word === undefined
      ? { kind: 'notUnderstood', looksLikePortal: false }
      : {
          kind: 'answered',
          replies: [['badauth', 'nohost', 'good', '911'].includes(word) ? { word } : { said: word }],
        }

  it('obeys the refusal of a wrong password, and nothing is changed', async () => {
    const { update, valueOf } = await played(of, { password: 'not-the-right-one' })
    const seen = await update({ v4 })
    expect(seen).toMatchObject(expected(of.wrongPassword))
    expect(JSON.stringify(seen)).not.toContain('not-the-right-one')
    expect(valueOf('A')).toEqual([OLD])
  })

  it('obeys the refusal of a hostname that does not exist', async () => {
    const { update, world } = await played(of)
    for (const record of world.records) record.name = `other.${of.zone}`
    world.zones.splice(0, 1, 'other.test')
    expect(await update({ v4 })).toMatchObject(expected(of.unknownHostname))
  })

  it.each(SPOILED)('after %s', async (what, outcome) => {
    const { update, sent } = await played(of)
    const seen = await update({ v4 }, SPOILS[what])
    expect(seen).toMatchObject({
      ...outcome,
      ...('isTls' in outcome && { isTls: of.settings?.['server'] === undefined }),
    })
    expect(JSON.stringify(seen)).not.toContain(PASSWORD)
    expect(sent.length).toBeLessThanOrEqual(4)
  })

  it('shows no secret of an answer that repeats it', async () => {
    const { update } = await played(of)
    const seen = await update({ v4 }, () =>
      answer(200, `what is ${PASSWORD}? <i>${encodeURIComponent(PASSWORD)}</i>`),
    )
    expect(JSON.stringify(seen)).not.toContain(PASSWORD)
  })
})

it('every service with another protocol is played', () => {
  const others = Object.entries(PROVIDERS).filter(
    ([, one]) => (one.replies ?? one.protocol) !== undefined && one.protocol !== 'rfc2136',
  )
  expect(PLAYED.map(({ provider }) => provider).toSorted()).toEqual(others.map(([name]) => name).toSorted())
})
