import { expect, it } from 'vitest'
import { findAddresses } from '../../../../src/shared/platform/names/name-servers.ts'

it('a host that only the hosts file knows has its address', async () =>
  expect(await findAddresses('localhost', 'v4', new AbortController().signal)).toEqual(['127.0.0.1']))

it('a host that nothing knows has none', async () =>
  expect(await findAddresses('none.invalid', 'v4', new AbortController().signal)).toEqual([]))
