import { describe, expect, it } from 'vitest'
import { RECORD_ROWS } from '../../../../src/client/services/protocols/rows/rows.ts'
import type { Address } from '../../../../src/shared/base/address.ts'
import type { HttpOutcome } from '../../../../src/shared/ports/http.ts'
import { KEPT, NEW, OLD, type Played } from './services.ts'
import { played } from './play.ts'
import type { Spoil } from './spoils.ts'

/** What others do to zones and records, and answers that are long, or that another request would have. */

const v4 = NEW as Address
const later = '192.0.2.8' as Address
const good = { kind: 'answered', replies: [{ word: 'good' }] }
const stopped = (said: string) => ({ kind: 'answered', replies: [{ word: 'nohost', said }] })
const notUnderstood = { kind: 'notUnderstood', looksLikePortal: false }

const ok = (body: string, status = 200): HttpOutcome => ({ kind: 'answered', status, headers: {}, body })
const bodyOf = (answered: HttpOutcome): string => (answered.kind === 'answered' ? answered.body : '')
const served = (provider: string): Played => {
  const found = KEPT.find((one) => one.provider === provider)
  if (found === undefined) throw new Error(`${provider} is not played`)
  return found
}
const hasZones = ({ provider }: Played): boolean =>
  provider === 'cloudflare' || RECORD_ROWS[provider]?.zones !== undefined

describe.each(KEPT.filter(hasZones))('$provider', (of) => {
  it('looks a zone up again that is not where it was, and then says that there is none', async () => {
    const { update, world, sent } = await played(of)
    expect(await update({ v4 })).toMatchObject(good)
    world.zones.splice(0)
    world.records.splice(0)
    const seen = await update({ v4: later })
    // Cloudflare says of a zone that is gone what it says of a wrong token: that one must stop.
    if (of.provider === 'cloudflare') return expect(seen).toMatchObject({ replies: [{ word: 'badauth' }] })
    expect(seen).toMatchObject(notUnderstood)
    const count = sent.length
    expect(await update({ v4: later })).toMatchObject(stopped('no-zone'))
    expect(sent.length).toBe(count + 1)
  })

  it('says that zone is needed where its zones are more than what is read', async () => {
    const { update } = await played(of)
    const seen = await update({ v4 }, (answered, nth) =>
      nth === 1 ? ok(`${bodyOf(answered)}${' '.repeat(300_000)}`) : answered,
    )
    // Cloudflare lists fifty, of which each is short.
    expect(seen).toMatchObject(of.provider === 'cloudflare' ? good : stopped('zone-needed'))
  })
})

/** Those that say how many zones there are. */
const COUNTED = 'cloudflare digitalocean hetzner linode vultr vercel scaleway'.split(' ')

describe.each(COUNTED)('%s', (provider) => {
  const of = served(provider)
  const many = Array.from({ length: 1100 }, (_, n) => `zone${n}.test`)

  it('says that zone is needed where the page of its zones does not have this one', async () => {
    const { update, world } = await played(of)
    world.zones.unshift(...many)
    expect(await update({ v4 })).toMatchObject(stopped('zone-needed'))
  })

  // Linode names a zone by a number, which only the list says.
  it.skipIf(provider === 'linode')('needs no page with zone', async () => {
    const { update, world, valueOf } = await played(of, { over: { zone: of.zone } })
    world.zones.unshift(...many)
    expect(await update({ v4 })).toMatchObject(good)
    expect(valueOf('A')).toEqual([v4])
  })
})

/** These answer a write with nothing, or with what it says of itself alone. */
const SILENT = 'ionos godaddy powerdns vultr'.split(' ')

it.each(KEPT)('$provider confirms only what its answer shows', async (of) => {
  const { update, valueOf } = await played(of)
  const seen = await update({ v4 }, (answered) => (valueOf('A')[0] === v4 ? ok('{}') : answered))
  // The last answer of netcup is that to the logout, and its write came before.
  const isSilent = SILENT.includes(of.provider)
  expect(seen).toMatchObject(isSilent ? good : notUnderstood)
})

it.each(['ionos', 'powerdns'])('%s keeps a record disabled', async (provider) => {
  const { update, world, valueOf } = await played(served(provider))
  for (const one of world.records) one.extra['disabled'] = true
  expect(await update({ v4 })).toMatchObject(good)
  expect(valueOf('A')).toEqual([v4])
  expect(world.records.map(({ extra }) => extra['disabled'])).toEqual([true, true])
})

it('DigitalOcean: a listed record of another name is not written', async () => {
  const { update, world, valueOf } = await played(served('digitalocean'))
  const foreign: Spoil = (answered) => ok(bodyOf(answered).replaceAll('"name":"home"', '"name":"other"'))
  await update({ v4 }, foreign)
  expect(world.records.filter(({ value }) => value === OLD)).not.toEqual([])
  expect(valueOf('A')).toContain(OLD)
})

const REPLACES = KEPT.filter(({ provider }) => !['cloudflare', 'netcup'].includes(provider))

it.each(REPLACES)('$provider: a record that goes between read and write stops nothing', async (of) => {
  const { update, sent } = await played(of)
  const seen = await update({ v4 }, (answered) =>
    (sent.at(-1)?.method ?? 'GET') === 'GET' || of.provider === 'porkbun' || of.provider === 'dnspod'
      ? answered
      : ok('{"message":"not found","error":{"code":"not_found"},"success":false}', 404),
  )
  expect(seen).toMatchObject(['porkbun', 'dnspod'].includes(of.provider) ? good : notUnderstood)
})

describe('Cloudflare', () => {
  const of = served('cloudflare')

  it('takes the active one of two zones with one name', async () => {
    const { update, valueOf } = await played(of)
    const withPending: Spoil = (answered, nth) => {
      if (nth !== 1) return answered
      const document = JSON.parse(bodyOf(answered)) as { result: Record<string, unknown>[] }
      return ok(
        JSON.stringify({
          ...document,
          result: [{ ...document.result[0], id: 'old', status: 'moved' }, ...document.result],
        }),
      )
    }
    expect(await update({ v4 }, withPending)).toMatchObject(good)
    expect(valueOf('A')).toEqual([v4])
  })

  it('does not confirm an address that another name has got', async () => {
    const { update, valueOf, sent } = await played(of)
    await update({ v4 })
    const renamed: Spoil = (answered) => ok(bodyOf(answered).replaceAll(of.hostname, 'other.example.test'))
    expect(await update({ v4: later }, renamed)).toMatchObject({
      ...notUnderstood,
      because: expect.stringContaining('the record now belongs to "other.example.test"') as string,
    })
    // What it remembered is forgotten.
    const count = sent.length
    await update({ v4: later })
    expect(sent[count]?.method ?? 'GET').toBe('GET')
    expect(valueOf('A')).toEqual([later])
  })

  it('writes none of the records of another name that are listed', async () => {
    const { update, valueOf, sent } = await played(of)
    const foreign: Spoil = (answered, nth) =>
      nth === 2 ? ok(bodyOf(answered).replaceAll(of.hostname, 'other.example.test')) : answered
    expect(await update({ v4 }, foreign)).toMatchObject(notUnderstood)
    expect([valueOf('A'), sent.length]).toEqual([[OLD], 2])
  })

  it.each(['81044', '81058'])('reads again after %s, where it remembered a record', async (code) => {
    const { update, valueOf, sent } = await played(of)
    await update({ v4 })
    const count = sent.length
    const refused = ok(
      JSON.stringify({ success: false, errors: [{ code: Number(code), message: 'no' }], result: null }),
      400,
    )
    // It was not done: what the imitation has changed is changed back by the next one.
    const seen = await update({ v4: later }, (answered, nth) => (nth === count + 1 ? refused : answered))
    expect(seen).toMatchObject({
      kind: 'answered',
      replies: [{ word: expect.stringMatching(/good|nochg/) as string }],
    })
    expect(sent.length).toBeGreaterThan(count + 1)
    expect(valueOf('A')).toEqual([later])
    expect(OLD).not.toBe(later)
  })
})
