import { describe, expect, it } from 'vitest'
import { Secret } from '../../../src/shared/base/secret.ts'
import {
  isSlowHashOf,
  keyedHash,
  newPassword,
  newUsername,
  pepperOf,
  slowHash,
} from '../../../src/service/auth/hashes.ts'
import { passwordChecker } from '../../../src/service/auth/login.ts'
import type { Login } from '../../../src/service/model/rows.ts'

/** Salt 00 to 0f, then scrypt of "right" with N 16384, r 8, p 1. */
const KEPT =
  '000102030405060708090a0b0c0d0e0f83e66ff166cf4955ef69e098590414108d313b08a53c0e18dddcc4e585bdd274'
const PEPPER = pepperOf(new Uint8Array(32))
/** After a rotation. */
const ROTATED = { ...pepperOf(new Uint8Array(32).fill(1)), previous: PEPPER }
const [RIGHT, WRONG] = [new Secret('right'), new Secret('wrong')]
const KEY: Login = { kind: 'key', id: 1, accountId: 1, hash: keyedHash(PEPPER, 'right'), isSuspended: false }
const ACCOUNT: Login = {
  kind: 'account',
  id: 1,
  accountId: 1,
  hash: await slowHash('right'),
  isSuspended: false,
}

const NAMED = 'someone'
const of = (username: string, password: Secret) => ({ username, password })

describe('a password', () => {
  const passwords = passwordChecker(PEPPER)

  // biome-ignore format: a table
  it.each([
    ['the right one of a key',                  KEY,       'abc1234',  RIGHT, true],
    ['a wrong one of a key',                    KEY,       'abc1234',  WRONG, false],
    ['of a key whose name has another form',     KEY,       'some.one', RIGHT, true],
    ['any of an unknown username like a key',   undefined, 'abc1234',  RIGHT, false],
    ['any of another unknown username',         undefined, 'abc12345', RIGHT, undefined],
    ['the right one of an account',             ACCOUNT,   NAMED,      RIGHT, undefined],
  ])('checked with a keyed hash: %s', (_, login, username, password, result) =>
    expect(passwords.checkFast(login, of(username, password))).toBe(result))

  // biome-ignore format: a table
  it.each([
    ['the right one, of the previous hash key', keyedHash(PEPPER, 'right'),          RIGHT, true],
    ['the right one, of the current hash key',  keyedHash(ROTATED, 'right'),         RIGHT, false],
    ['a wrong one',                             keyedHash(PEPPER, 'right'),          WRONG, false],
  ])('of a key has a new hash after a rotation: %s', (_, hash, password, isRenewed) =>
    expect(passwordChecker(ROTATED).renewedHash({ ...KEY, hash }, of('abc1234', password))).toEqual(
      isRenewed ? keyedHash(ROTATED, 'right') : undefined,
    ))

  it('is likely to be refused where the same login has refused it, and not once it was right', () => {
    const one = passwordChecker(PEPPER)
    const isLikelyRefused = (password: Secret): boolean => one.isLikelyRefused(of('abc1234', password))
    const seen = [isLikelyRefused(WRONG)]
    one.checkFast(KEY, of('abc1234', WRONG))
    seen.push(isLikelyRefused(WRONG), isLikelyRefused(RIGHT))
    one.checkFast(KEY, of('abc1234', RIGHT))
    seen.push(isLikelyRefused(WRONG))
    expect(seen).toEqual([false, true, false, false])
  })

  it('of an account has no keyed hash', () =>
    expect(
      passwordChecker(ROTATED).renewedHash({ ...ACCOUNT, hash: KEY.hash }, of(NAMED, RIGHT)),
    ).toBeUndefined())

  it.each([
    ['the right one of an account', ACCOUNT, RIGHT, true],
    ['a wrong one of an account', ACCOUNT, WRONG, false],
    ['an unknown username', undefined, new Secret('the password of unknown logins'), false],
  ])('checked with a slow hash: %s', async (_, login, password, result) =>
    expect(await passwords.checkSlow(login, of(NAMED, password), 'n')).toBe(result),
  )

  it('of an account is checked during any number of logins with invented names', async () => {
    const crowded = passwordChecker(PEPPER)
    const invented = await waiting(async () => crowded.checkSlow(undefined, of('x', WRONG), 'n'))

    expect(await crowded.checkSlow(ACCOUNT, of(NAMED, RIGHT), 'n')).toBe(true)
    const results = await Promise.all(invented)
    expect(new Set(results)).toEqual(new Set([false, undefined]))
    expect(results.filter((one) => one === undefined).length).toBeGreaterThan(40)
  }, 120_000)

  it('of an account is checked during any number of logins from another network', async () => {
    const crowded = passwordChecker(PEPPER)
    const others = await waiting(async () => crowded.checkSlow(ACCOUNT, of(NAMED, WRONG), 'n'))

    expect(await crowded.checkSlow(ACCOUNT, of(NAMED, RIGHT), 'm')).toBe(true)
    expect(new Set(await Promise.all(others))).toEqual(new Set([false, undefined]))
  }, 120_000)
})

/** 120 checks that have their places in the queue. */
async function waiting(check: () => Promise<boolean | undefined>): Promise<Promise<boolean | undefined>[]> {
  await check()
  const checks = Array.from({ length: 120 }, check)
  await new Promise(setImmediate)
  return checks
}

describe('a hash', () => {
  it('of a password is 16 bytes of salt and 32 of scrypt, another each time', async () => {
    const [first, second] = await Promise.all([slowHash('right'), slowHash('right')])
    expect(first).toHaveLength(48)
    expect(Buffer.from(first).equals(second)).toBe(false)
    expect([await isSlowHashOf('right', first), await isSlowHashOf('wrong', first)]).toEqual([true, false])
  })

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
