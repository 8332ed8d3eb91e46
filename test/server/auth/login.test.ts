import { describe, expect, it } from 'vitest'
import { Secret } from '../../../src/net/secret.ts'
import {
  isKeyedHashOf,
  isSlowHashOf,
  keyedHash,
  newPassword,
  newUsername,
  pepperOf,
  slowHash,
} from '../../../src/server/auth/hashes.ts'
import { authenticator, passwordChecker } from '../../../src/server/auth/login.ts'
import type { Login } from '../../../src/server/model/rows.ts'
import type { Store } from '../../../src/server/store/store.ts'

/** Salt 00 to 0f, then scrypt of "right" with N 16384, r 8, p 1. */
const KEPT =
  '000102030405060708090a0b0c0d0e0f83e66ff166cf4955ef69e098590414108d313b08a53c0e18dddcc4e585bdd274'
const PEPPER = pepperOf(new Uint8Array(32))
const [RIGHT, WRONG] = [new Secret('right'), new Secret('wrong')]
const KEY: Login = { kind: 'key', id: 1, accountId: 1, hash: keyedHash(PEPPER, 'right') }
const ACCOUNT: Login = { kind: 'account', id: 1, accountId: 1, hash: await slowHash('right') }

describe('a password', () => {
  const passwords = passwordChecker(PEPPER)
  it('of a generated key is checked immediately; another password is not', () =>
    expect([
      passwords.checkFast(KEY, RIGHT),
      passwords.checkFast(KEY, WRONG),
      passwords.checkFast(ACCOUNT, RIGHT),
      passwords.checkFast(undefined, RIGHT),
    ]).toEqual([true, false, undefined, undefined]))

  it.each([
    ['the right one of a key', KEY, RIGHT, true],
    ['a wrong one of a key', KEY, WRONG, false],
    ['the right one of an account', ACCOUNT, RIGHT, true],
    ['a wrong one of an account', ACCOUNT, WRONG, false],
    ['an unknown username', undefined, new Secret('no account has this password'), false],
  ])('%s', async (_, login, password, check) => expect(await passwords.check(login, password)).toBe(check))

  it('of an unknown username computes a slow hash too', async () => {
    const checked: unknown[] = []
    const store = {
      read: async (use: (r: object) => unknown) => use({ login: async () => Promise.resolve(undefined) }),
    }
    const authenticate = authenticator(store as unknown as Store, {
      checkFast: () => undefined,
      check: async (login) => Promise.resolve(checked.push(login) > 0),
    })
    expect(await authenticate({ username: 'none', password: RIGHT })).toBeUndefined()
    expect(checked).toEqual([undefined])
  })

  it('of an account is checked 64 at a time, and then again', async () => {
    const crowded = passwordChecker(PEPPER)
    const answers = await Promise.allSettled(
      Array.from({ length: 66 }, async () => crowded.check(ACCOUNT, RIGHT)),
    )
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(2)
    expect(await crowded.check(ACCOUNT, RIGHT)).toBe(true)
  }, 20_000)
})

describe('credentials', () => {
  const authenticate = authenticator(
    {
      read: async (use: (r: object) => unknown) => use({ login: async () => Promise.resolve(KEY) }),
    } as unknown as Store,
    passwordChecker(PEPPER),
  )
  it.each([
    ['right', RIGHT, KEY],
    ['wrong', WRONG, undefined],
  ])('that are %s', async (_, password, who) =>
    expect(await authenticate({ username: 'key', password })).toBe(who),
  )
})

describe('a hash', () => {
  it('of a password is 16 bytes of salt and 32 of scrypt, another each time', async () => {
    const [first, second] = await Promise.all([slowHash('right'), slowHash('right')])
    expect(first).toHaveLength(48)
    expect(Buffer.from(first).equals(second)).toBe(false)
    expect([await isSlowHashOf('right', first), await isSlowHashOf('wrong', first)]).toEqual([true, false])
  })

  it('of another length does not match and does not throw', () =>
    expect(isKeyedHashOf(PEPPER, 'right', KEY.hash.subarray(1))).toBe(false))

  /** RFC 7914 §12 has no vector of this cost; the parameters are part of every stored hash and must not change. */
  it('of a password that was kept is still understood', async () =>
    expect(await isSlowHashOf('right', Buffer.from(KEPT, 'hex'))).toBe(true))
})

describe('what is generated', () => {
  it('for a username is 7 letters and digits', () => expect(newUsername()).toMatch(/^[a-z0-9]{7}$/))
  it('for a password is 21 letters and digits that are not mistaken', () => {
    const passwords = Array.from({ length: 100 }, newPassword)
    expect(new Set(passwords).size).toBe(100)
    for (const password of passwords) expect(password).toMatch(/^[A-HJ-NP-Za-km-z2-9]{21}$/)
  })
})
