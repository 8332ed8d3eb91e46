import { expect, it } from 'vitest'
import { PASSWORD } from '../api/world.ts'
import { consoleTests } from './person.ts'

const { person } = consoleTests()

// The trail is kept for 400 days (decision 0051), also that of an account that is deleted.
it.each([
  ['en', '400 days'],
  ['de', '400 Tage'],
])(
  'the page where an account is deleted says what stays, and for how long: %s',
  async (acceptLanguage, says) => {
    const one = person()
    await one.signIn('a', PASSWORD)
    const { status, html, text } = await one.send('/console/account', { headers: { acceptLanguage } })
    expect([status, html.includes('action="/console/account/delete"')]).toEqual([200, true])
    expect(text).toContain(says)
  },
)
