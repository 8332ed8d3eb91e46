import { describe, expect, it, onTestFinished } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import { consoleOn, personAt } from '../../console/person.ts'
import { flushed, SETTINGS } from '../../publish/flushed.ts'
import { apiWorld, PASSWORD } from '../world.ts'
import { ANSWERERS, NAMES, type Row, ROWS, SECONDARIES } from './publication-states.ts'

/** The publication in `/v1`, and its appearance in the console. */

const NOW = instant(Date.UTC(2026, 0, 2))
const ZONE = 'example.test'
const RECORDS = `/v1/dns/records/${ZONE}`

async function worldOf({ answerer, secondaries, isFlushed }: Omit<Row, 'word'>) {
  const [settings, known] = [ANSWERERS[answerer], SECONDARIES[secondaries]]
  const world = await apiWorld({ secondaries: known }, settings)
  onTestFinished(async () => world.close())
  const a = [{ dns_type: 'A', rdata: [{ value: '192.0.2.40' }] }]
  const txt = [{ dns_type: 'TXT', rdata: [{ value: 'x' }] }]
  const off = { offline: true, offline_settings: { action: 'none' } }
  for (const body of [
    { name: 'text', rrsets: txt },
    { name: 'away', rrsets: a, ...off },
    { name: 'stopped', rrsets: a },
  ])
    expect((await world.ask('POST', RECORDS, body)).status).toBe(201)
  await world.store.write(async (w) => {
    const stopped = await w.nameAt(world.ids[ZONE] ?? 0, 'stopped')
    await w.blockName(stopped?.id ?? 0, true)
  })
  if (isFlushed) await flushed(world.store, SETTINGS, NOW)
  const word = async (path: string): Promise<unknown> =>
    ((await world.ask('GET', path)).body.data as { publication?: unknown }).publication
  const inList = async (path: string, name: string): Promise<unknown> =>
    ((await world.ask('GET', path)).body.data as { name: string; publication?: unknown }[]).find(
      (one) => one.name === name,
    )?.publication
  const signedIn = async (language: string) => {
    const one = personAt(consoleOn(world.store, { now: () => NOW, settings, secondaries: known }))
    await one.signIn('a', PASSWORD)
    return async (path: string): Promise<string> =>
      (await one.send(path, { headers: { acceptLanguage: language } })).html
  }
  return { ...world, word, inList, signedIn }
}

const titled = ROWS.map((row) => {
  const given = row.isFlushed ? 'all is given' : 'changes wait'
  return [`${row.word}: ${row.answerer} answers, secondaries: ${row.secondaries}, ${given}`, row] as const
})

describe('the publication of a zone, and of a name with an address', () => {
  it.each(titled)('%s', async (_, row) => {
    const { word, inList } = await worldOf(row)
    expect({
      zone: await word(`/v1/dns/zones/${ZONE}`),
      inZones: await inList('/v1/dns/zones', ZONE),
      publication: await word(`/v1/dns/zones/${ZONE}/publication`),
      name: await word(`${RECORDS}/free`),
      inNames: await inList(`${RECORDS}?limit=100`, 'free'),
    }).toEqual({
      zone: row.word,
      inZones: row.word,
      publication: row.word,
      name: row.word,
      inNames: row.word,
    })
  })

  it.each(NAMES)('%s is %s: it has %s', async (name, wanted) => {
    const { word, inList } = await worldOf({
      answerer: 'the service',
      secondaries: 'none',
      isFlushed: true,
    })
    expect([await word(`${RECORDS}/${name}`), await inList(`${RECORDS}?limit=100`, name)]).toEqual([
      wanted,
      wanted,
    ])
  })
})

/** The tones of the states in a page. */
const tonesIn = (html: string): readonly string[] =>
  [...html.matchAll(/class="state (\w+)"/g)].map(([, tone = '']) => tone)
const liveOf = (html: string): string => html.split('id="live"')[1]?.split('</main>')[0] ?? ''
const rowOf = (html: string, name: string): string =>
  html
    .split('<tr')
    .filter((row) => row.includes(`/console/names/${ZONE}/${name}"`))
    .at(-1) ?? ''

/** Only `published` is green, and `unserved` is red. */
const isTone = (tone: string, word: Row['word']): boolean =>
  word === 'published' ? tone === 'ok' : word === 'unserved' ? tone === 'bad' : tone !== 'ok'

describe.each([
  ['en', /[^]/],
  ['de', /[äöüß]/],
])('the console (%s)', (language, spelled) => {
  it.each(titled)('%s', async (_, row) => {
    const show = await (await worldOf(row)).signedIn(language)
    const [zone, name, names] = [
      await show(`/console/zones/${ZONE}`),
      await show(`/console/names/${ZONE}/free`),
      await show('/console/names?search=free'),
    ]
    expect(zone).toMatch(spelled)
    const seen = {
      zone: tonesIn(liveOf(zone))[0],
      name: tonesIn(name)[0],
      row: tonesIn(rowOf(names, 'free'))[0],
    }
    for (const [where, tone] of Object.entries(seen))
      expect([where, tone, isTone(tone ?? 'none', row.word)]).toEqual([where, tone, true])
  })

  it('shows the missing settings if no name server answers', async () => {
    const show = await (await worldOf(ROWS[0] as Row)).signedIn(language)
    for (const setting of ['dns_listen', 'answer_queries', 'secondaries'])
      expect(await show(`/console/zones/${ZONE}`)).toContain(setting)
    expect(tonesIn(rowOf(await show('/console/names?search=free'), 'free'))).toEqual(['bad'])
    // No row is green.
    expect(tonesIn(await show('/console/names'))).not.toContain('ok')
  })

  it('shows a name without an address in grey', async () => {
    const show = await (
      await worldOf({ answerer: 'the service', secondaries: 'none', isFlushed: true })
    ).signedIn(language)
    for (const html of [
      await show(`/console/names/${ZONE}/empty`),
      rowOf(await show('/console/names?search=empty'), 'empty'),
    ]) {
      expect(html).not.toBe('')
      expect(html).not.toContain('✓')
      expect(tonesIn(html).filter((tone) => tone === 'ok' || tone === 'bad')).toEqual([])
    }
  })
})
