import { describe, expect, it } from 'vitest'
import { milliseconds } from '../../../../src/shared/base/time.ts'
import type { Address } from '../../../../src/shared/base/address.ts'
import { askByDatagram } from '../../../../src/shared/platform/sockets/datagram.ts'

describe('a datagram request', () => {
  it('to an address that cannot be sent to fails', async () =>
    expect(
      await askByDatagram(
        {
          to: '255.255.255.255' as Address,
          port: 9,
          bytes: Buffer.from('?'),
          again: [],
          timeout: milliseconds(300),
          isAnswer: () => true,
        },
        new AbortController().signal,
      ),
    ).toMatchObject({ kind: 'failed' }))
})
