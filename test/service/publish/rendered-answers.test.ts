import { describe, expect, it } from 'vitest'
import { parseRequest } from '../../../src/shared/dns/request.ts'
import { FLAGS, RR_TYPES } from '../../../src/shared/dns/types.ts'
import { RenderedAnswers } from '../../../src/service/publish/rendered-answers.ts'
import { PublishedZones } from '../../../src/service/store/sqlite/store.ts'
import { opt, wire } from '../../shared/dns/wire.ts'
import { SETTINGS } from './flushed.ts'

const requestFor = (
  name: string,
  asked: { id?: number; flags?: number; size?: number; type?: number } = {},
) => {
  const { id = 1, flags = 0, size, type = RR_TYPES.A } = asked
  const bytes = wire({ name, type, flags, additions: size === undefined ? [] : [opt(size)] })
  bytes.writeUInt16BE(id, 0)
  const parsed = parseRequest(bytes)
  if (parsed.kind !== 'request') throw new Error(parsed.kind)
  return parsed.request
}
const ZONE = { id: 7, apex: 'example.test', serial: 5, size: 100 }
const PLACE = { zone: ZONE, soa: SETTINGS, limit: 512 }
const message = (length = 60): Buffer => Buffer.alloc(length, 0xaa)

describe('a rendered answer', () => {
  const asked = requestFor('home.example.test')
  const kept = (): RenderedAnswers => {
    const rendered = new RenderedAnswers()
    rendered.keep(asked, message(), PLACE)
    return rendered
  }

  it('is kept', () => {
    expect(kept().get(asked, PLACE)).toHaveLength(60)
  })

  it.each([
    ['another serial of the zone', { ...PLACE, zone: { ...ZONE, serial: 6 } }],
    ['another zone of the name', { ...PLACE, zone: { ...ZONE, id: 8 } }],
    ['other name servers', { ...PLACE, soa: { ...SETTINGS, nameservers: [...SETTINGS.nameservers] } }],
    ['another contact', { ...PLACE, soa: { ...SETTINGS, contact: 'other.example.test' } }],
    ['another limit', { ...PLACE, limit: 1232 }],
  ])('is not given for %s', (_, place) => {
    expect(kept().get(asked, place)).toBeUndefined()
  })

  it.each([
    ['another name', requestFor('work.example.test')],
    ['another type', requestFor('home.example.test', { type: RR_TYPES.AAAA })],
    ['a question with EDNS', requestFor('home.example.test', { size: 512 })],
  ])('is not given for %s', (_, request) => {
    expect(kept().get(request, PLACE)).toBeUndefined()
  })

  it('has the number, the letters and the flags of its question', () => {
    const again = requestFor('HOME.example.TEST', { id: 0xbeef, flags: FLAGS.RD })
    const answer = kept().get(again, PLACE)
    expect(answer?.readUInt16BE(0)).toBe(0xbeef)
    expect(answer?.subarray(12, 12 + again.question.wire.length)).toEqual(Buffer.from(again.question.wire))
    expect((answer?.readUInt16BE(2) ?? 0) & FLAGS.RD).toBe(FLAGS.RD)
    expect((kept().get(asked, PLACE)?.readUInt16BE(2) ?? 0) & (FLAGS.RD | FLAGS.CD)).toBe(0)
  })

  it('gives way to newer ones beyond 32 MiB', () => {
    const rendered = kept()
    const name = (n: number): string => `h${n}.example.test`
    for (let n = 0; n < 40; n++) rendered.keep(requestFor(name(n)), message(1024 * 1024), PLACE)
    expect(rendered.get(asked, PLACE)).toBeUndefined()
    const left = Array.from({ length: 40 }, (_, n) => rendered.get(requestFor(name(n)), PLACE) !== undefined)
    expect(left.indexOf(true)).toBe(40 - 31)
    for (let n = 0; n < 100; n++) rendered.keep(requestFor(name(39)), message(1024 * 1024), PLACE)
    expect(rendered.get(requestFor(name(20)), PLACE)).toBeDefined()
  })
})

describe('published zones', () => {
  it('are read again after a commit, also one during the read', async () => {
    let serial = 1
    let during = (): void => undefined
    const zones = new PublishedZones(async (apex) => {
      const zone = apex === ZONE.apex ? { ...ZONE, serial: serial++ } : undefined
      during()
      return Promise.resolve(zone)
    })
    expect([await zones.get(ZONE.apex), await zones.get(ZONE.apex)]).toMatchObject([
      { serial: 1 },
      { serial: 1 },
    ])
    zones.clear()
    during = () => zones.clear()
    expect(await zones.get(ZONE.apex)).toMatchObject({ serial: 2 })
    expect(await zones.get(ZONE.apex)).toMatchObject({ serial: 3 })
  })

  it('include names that are no zone', async () => {
    let reads = 0
    const zones = new PublishedZones(async () => {
      reads++
      return Promise.resolve(undefined)
    })
    await zones.get('home.example.test')
    expect([await zones.get('home.example.test'), reads]).toEqual([undefined, 1])
  })
})
