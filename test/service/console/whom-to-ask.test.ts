import { afterEach, describe, expect, it } from 'vitest'
import { ADMIN_OPERATIONS } from '../../../src/service/admin/operations.ts'
import { PEPPER } from '../api/inside.ts'
import { browserAt } from '../doors/browser.ts'
import { ACCOUNT, type DoorsWorld, doorsWorld, PASSWORD } from '../doors/world.ts'
import { consoleTests, ORIGIN } from './person.ts'

describe('an invitation', () => {
  const { at, person } = consoleTests()

  it('says whose service it is, before anything is entered', async () => {
    for (const acceptLanguage of ['en', 'de']) {
      const { text } = await person().send('/console/invitation', { headers: { acceptLanguage } })
      expect(text).toContain(new URL(ORIGIN).host)
    }
  })

  it('says in which zone the names will be', async () => {
    const context = { pepper: PEPPER, nameservers: [], catalogZone: '', now: at.now, console: ORIGIN }
    const made = await at.world.store.write(async (w) =>
      ADMIN_OPERATIONS['invitation add']?.run({ w, ...context }, ['plan of a', 'zone=vip.test']),
    )
    if (made?.ok !== true) throw new Error('no invitation')
    const link = new URL(String(made.value.data['link']))
    const one = person()
    // What is behind "#" no server sees, so the page knows the code from the form alone, unless the link has more.
    const page = await one.send(`${link.pathname}${link.search}`)
    const form = { code: link.hash.slice(1), account: 'newcomer', password: 'short', again: 'short' }
    const again = await one.post(link.pathname, form)
    expect([again.status, `${page.text} ${again.text}`]).toEqual([422, expect.stringContaining('vip.test')])
  })

  it('says nothing of a zone to who has no code', async () => {
    const form = { code: 'x'.repeat(43), account: 'newcomer', password: 'short', again: 'short' }
    const { status, text } = await person().post('/console/invitation', form)
    expect([status, text.includes('vip.test')]).toEqual([422, false])
  })
})

describe('the page of a suspended account', () => {
  const CONTACT = 'help@operator.test'
  let world: DoorsWorld | undefined
  const opened = async (contact?: string) => {
    world = await doorsWorld(contact === undefined ? {} : { contact })
    const browser = browserAt(world)
    await browser.signIn({ password: PASSWORD })
    await world.admin(`account suspend ${ACCOUNT}`)
    return browser.send('/console/names')
  }
  afterEach(async () => {
    await world?.close()
    world = undefined
  })

  it('says whom to ask', async () => {
    const { status, html } = await opened(CONTACT)
    expect([status, html.includes(CONTACT)]).toEqual([403, true])
  })

  it('names nobody where the setting is not there', async () => {
    const { status, html } = await opened()
    expect([status, html.includes('@')]).toEqual([403, false])
  })
})
