import { describe, expect, it } from 'vitest'
import { PASSWORD } from '../api/world.ts'
import { consoleTests } from './person.ts'

const { at, person } = consoleTests()

interface Box {
  readonly value: string
  readonly isChecked: boolean
}

/** The check boxes of hostnames. */
const boxesIn = (html: string): readonly Box[] =>
  [...html.matchAll(/<input\b[^>]*>/g)].flatMap(([tag]) =>
    /type="checkbox"/.test(tag) && /name="hostnames"/.test(tag)
      ? [{ value: /value="([^"]*)"/.exec(tag)?.[1] ?? '', isChecked: /\bchecked\b/.test(tag) }]
      : [],
  )
const checked = (html: string): readonly string[] =>
  boxesIn(html).flatMap(({ value, isChecked }) => (isChecked ? [value] : []))

const FORM = '/console/keys/new'

describe('the form of a new DDNS key', () => {
  it('shows the names of the account to choose, also those in shared zones, and no other', async () => {
    const one = person()
    await one.signIn('a', PASSWORD)
    const values = boxesIn((await one.send(FORM)).html).map(({ value }) => value)
    expect(values).toEqual(
      expect.arrayContaining([
        'free.example.test',
        'empty.example.test',
        'parts.example.test',
        'mine.dyn.test',
      ]),
    )
    expect(values.filter((value) => ['bob.dyn.test', 'b.test', 'dyn.test'].includes(value))).toEqual([])
    expect(new Set(values).size).toBe(values.length)
  })

  it('has none of several chosen, or that of the page it was opened from', async () => {
    const one = person()
    await one.signIn('a', PASSWORD)
    expect(checked((await one.send(FORM)).html)).toEqual([])
    expect(checked((await one.send(`${FORM}?hostname=free.example.test`)).html)).toEqual([
      'free.example.test',
    ])
    const foreign = (await one.send(`${FORM}?hostname=bob.dyn.test`)).html
    expect([checked(foreign), boxesIn(foreign).some(({ value }) => value === 'bob.dyn.test')]).toEqual([
      [],
      false,
    ])
  })

  it('has the one name of an account chosen', async () => {
    const made = await at.world.ask(
      'POST',
      '/v1/dns/records/dyn.test',
      { name: 'only' },
      `leaver:${PASSWORD}`,
    )
    expect(made.status).toBe(201)
    const one = person()
    await one.signIn('leaver', PASSWORD)
    expect(boxesIn((await one.send(FORM)).html)).toEqual([{ value: 'only.dyn.test', isChecked: true }])
  })

  it('makes a key for each name that is chosen', async () => {
    const one = person()
    await one.signIn('a', PASSWORD)
    await one.send(FORM)
    const hostnames = ['free.example.test', 'mine.dyn.test']
    expect((await one.post(FORM, { description: 'two of them', hostnames })).status).toBe(200)
    const { data } = (await at.world.ask('GET', '/v1/account/ddns-keys?limit=100')).body
    const key = (
      data as readonly { description: string; targets: readonly { name: string; zone_name: string }[] }[]
    ).find(({ description }) => description === 'two of them')
    expect(key?.targets.map(({ name, zone_name }) => `${name}.${zone_name}`).toSorted()).toEqual(hostnames)
  })

  it('keeps what was chosen where something else is missing', async () => {
    const one = person()
    await one.signIn('a', PASSWORD)
    await one.send(FORM)
    const hostnames = ['free.example.test', 'mine.dyn.test']
    const again = await one.post(FORM, { description: '', hostnames })
    expect([again.status, checked(again.html).toSorted()]).toEqual([422, hostnames])
  })

  it('asks for a name where none is chosen', async () => {
    const one = person()
    await one.signIn('a', PASSWORD)
    await one.send(FORM)
    expect((await one.post(FORM, { description: 'none' })).status).toBe(422)
  })
})
