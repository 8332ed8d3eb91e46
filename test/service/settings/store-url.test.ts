import { describe, expect, it } from 'vitest'
import { formatStoreUrl, isStoreUrl, parseStoreUrl } from '../../../src/service/settings/store-url.ts'

describe('the address of a database', () => {
  it.each([
    [
      'postgres://u@h/d',
      { hosts: [{ host: 'h', port: 5432 }], user: 'u', database: 'd', isTls: true, isPrepared: true },
    ],
    [
      'postgresql://u@127.0.0.1:5433/d',
      {
        hosts: [{ host: '127.0.0.1', port: 5433 }],
        user: 'u',
        database: 'd',
        isTls: false,
        isPrepared: true,
      },
    ],
    [
      'postgres://u@a:1,b,[2001:db8::1]:3/d?prepare=off',
      {
        hosts: [
          { host: 'a', port: 1 },
          { host: 'b', port: 5432 },
          { host: '2001:db8::1', port: 3 },
        ],
        user: 'u',
        database: 'd',
        isTls: true,
        isPrepared: false,
      },
    ],
    [
      'postgres://u%40x@localhost/d%20e?sslmode=verify-full&sslrootcert=/ca.pem',
      {
        hosts: [{ host: 'localhost', port: 5432 }],
        user: 'u@x',
        database: 'd e',
        isTls: true,
        authoritiesFile: '/ca.pem',
        isPrepared: true,
      },
    ],
    [
      'postgres://u@10.0.0.1/d?sslmode=disable',
      { hosts: [{ host: '10.0.0.1', port: 5432 }], user: 'u', database: 'd', isTls: false, isPrepared: true },
    ],
  ])('%s', (text, expected) => {
    expect(parseStoreUrl(text)).toEqual({ ok: true, value: expected })
  })

  it('keeps its password, and never shows it', () => {
    const parsed = parseStoreUrl('postgres://u:s%40wordfish:x@h/d')
    if (!parsed.ok) throw new Error(parsed.error)
    expect(parsed.value.password?.reveal()).toBe('s@wordfish:x')
    expect(`${JSON.stringify(parsed.value)}${formatStoreUrl(parsed.value)}`).not.toContain('wordfish')
    expect(formatStoreUrl(parsed.value)).toBe('postgres://u@h:5432/d')
  })

  it.each([
    'postgres://h/d',
    'postgres://u:swordfish@h',
    'postgres://u:swordfish@h/',
    'postgres://u:swordfish@h:0/d',
    'postgres://u:swordfish@h:99999/d',
    'postgres://u:swordfish@h,/d',
    'postgres://u:sword/fish@h/d',
    'postgres://u:swordfish@h/d?sslmode=require',
    'postgres://u:swordfish@h/d?swordfish=1x',
    'postgres://u:%E0%A4@h/%E0%A4',
    'postgres:u@h/d',
    'postgres://u;swordfish@h/d',
    'postgres://u swordfish@h/d',
    'postgres://u%3Aswordfish@h/d',
    'postgres://u:p%zzswordfish@h/d',
    'postgres://u:x@h/d?swordfish',
  ])('%s is refused, and no password is shown', (text) => {
    const parsed = parseStoreUrl(text)
    expect(parsed.ok).toBe(false)
    expect(parsed.ok ? '' : parsed.error).not.toMatch(/swordfish|sword\//)
  })

  it('is no path', () => {
    expect(['postgres://u@h/d', 'postgresql:x', 'POSTGRES://u@h/d'].map(isStoreUrl)).toEqual([
      true,
      true,
      true,
    ])
    expect(['/var/lib/x', 'postgres', './postgres://'].map(isStoreUrl)).toEqual([false, false, false])
  })
})
