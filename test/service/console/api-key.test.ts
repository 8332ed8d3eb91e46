import { expect, it } from 'vitest'
import { consoleTests } from './person.ts'

const { at, person } = consoleTests()
const PLACES = ['names', 'zones', 'keys', 'trail', 'account']

const placesIn = (html: string): readonly string[] =>
  PLACES.filter((one) => html.includes(`<li><a href="/console/${one}"`))

it('a session of an API key that reads is offered nothing to make', async () => {
  const one = person()
  await one.signInWith('reader-of-a')
  const { html } = await one.send('/console/names')
  expect([placesIn(html), html.includes('/console/names/new')]).toEqual([PLACES, false])
  expect((await one.send('/console/names/example.test/free')).html).not.toContain('/console/keys/new')
})

it('a session of an API key for one zone is not led to what it may not see', async () => {
  const made = await at.world.ask('POST', '/v1/account/api-keys', { scopes: ['zone:example.test'] })
  const { key } = made.body.data as { readonly key: string }
  const one = person()
  await one.signInWith(key)
  const { html } = await one.send('/console/names')
  expect([placesIn(html), html.includes('/console/names/new')]).toEqual([['names', 'zones', 'account'], true])
  for (const place of placesIn(html)) expect((await one.send(`/console/${place}`)).status).toBe(200)
})
