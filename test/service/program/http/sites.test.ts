import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withSites } from '../../../../src/service/program/http/sites.ts'
import type { Address } from '../../../../src/shared/base/address.ts'
import { textResponse } from '../../../../src/service/http/dispatch.ts'
import type { IncomingRequest } from '../../../../src/service/http/request.ts'
import { flushed, SETTINGS } from '../../publish/flushed.ts'
import { storeWith } from '../../publish/zones.ts'

const peer = '192.0.2.1' as Address
const PUBLISHING = { ...SETTINGS, redirectAddresses: [peer] }
const URL = ['300 _URL https://away.test/x']
const A = ['300 A 192.0.2.7']

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** Answers by the service: its path; by a site: the status, and where it leads. */
async function stage() {
  const world = await storeWith({
    'example.test': {
      go: URL,
      www: ['300 CNAME go.example.test.'],
      home: A,
      off: { records: A, offline: { action: 'page', title: 'Away' } },
    },
  })
  await flushed(world.store, PUBLISHING)
  const reads = vi.spyOn(world.store, 'read')
  const handle = withSites(async ({ path }) => textResponse(200, `service ${path}`), world.store)
  const ask = async (host: string | undefined, over: Partial<IncomingRequest> = {}): Promise<string> => {
    const base = { method: 'GET', path: '/', query: '', userAgent: undefined, authorization: undefined }
    const { status, headers, body } = await handle({
      ...base,
      peer,
      isProxy: false,
      ...(host !== undefined && { host }),
      ...over,
    })
    return status === 200 ? body : `${status} ${headers['location'] ?? body.slice(0, 15)}`
  }
  return { ...world, ask, reads }
}

describe('requests', () => {
  it.each([
    ['go.example.test', '302 https://away.test/x'],
    ['GO.Example.Test:8080', '302 https://away.test/x'],
    ['go.example.test.', '302 https://away.test/x'],
    ['www.example.test', '302 https://away.test/x'],
    ['off.example.test', '503 <!doctype html>'],
    ['home.example.test', 'service /'],
    ['other.example.test', 'service /'],
    ['go.example.test..', 'service /'],
    ['go.example.test, go.example.test', 'service /'],
    ['go.example.test/x', 'service /'],
    ['user@go.example.test', 'service /'],
    ['127.0.0.1', 'service /'],
    ['[::1]:80', 'service /'],
    ['localhost', 'service /'],
    ['', 'service /'],
    [undefined, 'service /'],
  ])('under %s are answered: %s', async (host, is) => {
    const { ask } = await stage()
    expect(await ask(host)).toBe(is)
  })

  it('repeat their method at a redirect, unless they read', async () => {
    const { ask } = await stage()
    for (const [method, status] of [
      ['HEAD', 302],
      ['POST', 307],
      ['PUT', 307],
      ['DELETE', 307],
    ] as const)
      expect(await ask('go.example.test', { method })).toBe(`${status} https://away.test/x`)
  })

  it.each([
    ['/nic/update', 'service /nic/update'],
    ['/v1', 'service /v1'],
    ['/v1/dns/about', 'service /v1/dns/about'],
    ['/healthz', 'service /healthz'],
    ['/readyz', 'service /readyz'],
    ['/nic/update/', 'service /nic/update/'],
    ['//nic/update', 'service //nic/update'],
    ['/./nic/update', '302 https://away.test/x'],
    ['/NIC/update', '302 https://away.test/x'],
    ['/nic/updates', '302 https://away.test/x'],
    ['/v12', '302 https://away.test/x'],
    ['//v1', '302 https://away.test/x'],
    ['*', '302 https://away.test/x'],
    ['', '302 https://away.test/x'],
  ])('for %s under the host of a redirect are answered: %s', async (path, is) => {
    const { ask } = await stage()
    expect(await ask('go.example.test', { path })).toBe(is)
  })

  it('under the own name of the service look it up once a second, and for an update never', async () => {
    const { ask, reads } = await stage()
    for (let n = 0; n < 5; n++) {
      await ask('service.test', { path: '/nic/update' })
      await ask('service.test')
    }
    expect(reads).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1000)
    await ask('service.test')
    expect(reads).toHaveBeenCalledTimes(2)
  })

  it('see a new redirect within a second, and its end at once', async () => {
    const { ask, put } = await stage()
    expect(await ask('home.example.test')).toBe('service /')
    await put('example.test', 'home', URL)
    vi.advanceTimersByTime(1000)
    expect(await ask('home.example.test')).toBe('302 https://away.test/x')
    await put('example.test', 'home', A)
    expect(await ask('home.example.test')).toBe('service /')
  })

  it('under many invented hosts take no more memory, and do not hide a site', async () => {
    const { ask } = await stage()
    for (let n = 0; n < 3000; n++) await ask(`n${n}.example.test`)
    expect(await ask('go.example.test')).toBe('302 https://away.test/x')
  })
})
