import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/shared/platform/clock/clock.ts'
import { creationOptions } from '../../../../src/service/auth/passkeys.ts'
import { authenticator } from '../../auth/authenticator.ts'
import { OPERATOR } from '../at-the-website.ts'
import { PEPPER } from '../inside.ts'
import { apiWorld, PASSWORD, type Reply, type World } from '../world.ts'

const ORIGIN = 'https://dns.example'
const PASSKEYS = '/v1/account/second-factors/passkeys'

let world: World
let ids: Readonly<Record<string, number>>
beforeEach(async () => {
  world = await apiWorld()
  ids = await world.store.read(async (r) => ({
    [OPERATOR]: (await r.login(OPERATOR))?.accountId ?? 0,
    leaver: (await r.login('leaver'))?.accountId ?? 0,
  }))
})
afterEach(async () => world.close())

/** Who may make a passkey: an operator at the website, before and after the first; others by their password. */
const AS = { [OPERATOR]: OPERATOR, leaver: `leaver:${PASSWORD}` } as const
type Who = keyof typeof AS

const optionsFor = (who: Who): object =>
  creationOptions(
    { pepper: PEPPER, origin: ORIGIN, now: systemClock.now() },
    { id: ids[who] ?? 0, name: who },
    [],
  )
const store = async (who: Who, credential: object): Promise<Reply> =>
  world.ask('POST', PASSKEYS, { credential }, AS[who])
const passkeysOf = async (who: Who): Promise<number> =>
  world.store.read(
    async (r) => (await r.factorsOf(ids[who] ?? 0)).filter(({ kind }) => kind === 'passkey').length,
  )
/** A refusal of what was sent, and not of the person, names it. */
const isRefusal = ({ body }: Reply): boolean => body.errors?.[0]?.pointer === '/credential'

describe('a challenge for a new passkey', () => {
  it('is taken once', async () => {
    const options = optionsFor(OPERATOR)
    expect((await store(OPERATOR, authenticator(ORIGIN).create(options))).status).toBe(201)
    const again = await store(OPERATOR, authenticator(ORIGIN).create(options))
    expect([isRefusal(again), await passkeysOf(OPERATOR)]).toEqual([true, 1])
    // The next challenge is another one.
    expect((await store(OPERATOR, authenticator(ORIGIN).create(optionsFor(OPERATOR)))).status).toBe(201)
    expect(await passkeysOf(OPERATOR)).toBe(2)
  })

  it('is taken once by answers that come at once', async () => {
    const options = optionsFor(OPERATOR)
    const answers = Array.from({ length: 4 }, () => authenticator(ORIGIN).create(options))
    const statuses = await Promise.all(answers.map(async (one) => (await store(OPERATOR, one)).status))
    expect([statuses.filter((status) => status === 201).length, await passkeysOf(OPERATOR)]).toEqual([1, 1])
  })

  it('is not used up by a dry run, or by an answer that is wrong', async () => {
    const options = optionsFor(OPERATOR)
    const wrong = authenticator(ORIGIN).create(options, { origin: 'https://evil.example' })
    expect(isRefusal(await store(OPERATOR, wrong))).toBe(true)
    const right = authenticator(ORIGIN).create(options)
    const tried = await world.ask('POST', `${PASSKEYS}?dry_run=true`, { credential: right }, AS[OPERATOR])
    expect([tried.status < 300, await passkeysOf(OPERATOR)]).toEqual([true, 0])
    expect((await store(OPERATOR, right)).status).toBe(201)
  })
})

// Web Authentication Level 3 §7.1: a credential id is that of one account.
describe('a credential id', () => {
  it.each<[first: Who, second: Who]>([
    [OPERATOR, 'leaver'],
    ['leaver', OPERATOR],
    [OPERATOR, OPERATOR],
  ])('that %s has is refused for %s', async (first, second) => {
    const key = authenticator(ORIGIN)
    expect((await store(first, key.create(optionsFor(first)))).status).toBe(201)
    const before = await passkeysOf(second)
    const again = await store(second, key.create(optionsFor(second)))
    expect([isRefusal(again), await passkeysOf(second)]).toEqual([true, before])
    // Another passkey of the same person is welcome.
    expect((await store(second, authenticator(ORIGIN).create(optionsFor(second)))).status).toBe(201)
  })
})
