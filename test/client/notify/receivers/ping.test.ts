import { describe, expect, it } from 'vitest'
import { pingUrl } from '../../../../src/client/notify/receivers/ping.ts'
import { Secret } from '../../../../src/shared/base/secret.ts'

describe('a ping', () => {
  it.each([
    ['https://hc.example/ping/1', 'start', 'https://hc.example/ping/1/start'],
    ['https://hc.example/ping/1', 'success', 'https://hc.example/ping/1'],
    ['https://hc.example/ping/1/', 'fail', 'https://hc.example/ping/1/fail'],
    ['https://hc.example/1?create=1', 'fail', 'https://hc.example/1/fail?create=1'],
    [
      'https://kuma.example/api/push/abc?status=up&msg=OK&ping=',
      'success',
      'https://kuma.example/api/push/abc?status=up&msg=OK&ping=',
    ],
    [
      'https://kuma.example/sub/api/push/abc',
      'fail',
      'https://kuma.example/sub/api/push/abc?status=down&msg=why',
    ],
    ['https://kuma.example/api/push/abc', 'start', undefined],
  ] as const)('to %s for %s', (url, kind, expected) =>
    expect(pingUrl(new Secret(url), kind, 'why')?.reveal()).toBe(expected),
  )
})
